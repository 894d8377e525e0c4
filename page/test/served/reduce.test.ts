import { expect, test } from "vitest";
import { openThreads } from "../../../src/index.js";
import { randomFrom } from "../../../test/helpers/random.js";
import { turnOfLines, turnOfWhole } from "../../src/turn/kept-turn.js";
import { reduce } from "../../src/turn/reduce.js";
import type { Turn } from "../../src/turn/turn.js";
import type { ListedTurn, TurnPart } from "../../src/wire.js";
import { randomAgent, runTurn } from "./random-turns.js";
import { isConsistent, kindsOf, known, knownInLines } from "./turn-forms.js";

// With TURNS=500 so many turns are tried.
const { TURNS = "24", SEED = "140" } = process.env;

test("a turn is shown alike while it runs and later, and whole at each moment", async () => {
  await using threads = await openThreads("memory:");
  const kinds = new Set<string>();
  for (let seed = Number(SEED); seed < Number(SEED) + Number(TURNS) / 2; seed += 1) {
    const random = randomFrom(seed);
    const agent = randomAgent(random, threads);
    const thread = `t${seed}`;
    let live: readonly Turn[] = [];
    for (const number of [1, 2]) {
      for (const event of (await runTurn(agent, thread, `Question ${number}`, random)).flat()) {
        const next = reduce(live, event);
        expect(isConsistent(live.at(-1), next, event)).toBe("");
        live = next;
      }
      const [listed] = (await threads.turns(thread, { limit: 1 })).turns;
      const part: TurnPart = { ...json(await threads.turn(thread, number)), count: 0, next: null };
      const line: ListedTurn = json(listed);
      const last = live.at(-1);
      const whole = turnOfWhole(part);
      for (const kind of last ? kindsOf(last) : []) kinds.add(kind);
      expect({ seed, ...(last && known(last)) }).toEqual({ seed, ...known(whole) });
      expect({ seed, ...knownInLines(turnOfLines(line)) }).toEqual({ seed, ...knownInLines(whole) });
    }
  }
  const seen = ["unparseable", "approve", "refuse", "error", "inner inner action", "inner unparseable", "rephrasing"];
  const more = [
    "model-fallback",
    "tool-call-limit",
    "model-call-limit",
    "search",
    "rewriting",
    "citation",
    "ungrounded",
  ];
  expect([...kinds]).toEqual(expect.arrayContaining([...seen, ...more]));
});

function json(value: unknown) {
  return JSON.parse(JSON.stringify(value));
}
