import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { describe, expect, it, onTestFinished } from "vitest";
import { bundledProgram } from "../../bench/bundled-program.mjs";
import { openThreads } from "../../src/index.js";
import { randomFrom } from "../helpers/random.js";
import { databases } from "../matrix/databases.js";
import type { Effect } from "./allowed-effects.js";
import { type KilledRun, type Place, RandomTurns } from "./random-turns.js";

const execute = promisify(execFile);
const program = await bundledProgram(new URL("fixtures/killed-turn.mjs", import.meta.url));

const { SEQUENCES = "", SEED = "1", STEPS = "16" } = process.env;

const places: Readonly<Record<string, () => Promise<Place>>> = {
  "LangGraph's MemorySaver": async () => {
    const saver = new MemorySaver();
    return { savers: [saver, saver] };
  },
  ...Object.fromEntries(databases.map((kind) => [kind.name, () => placeIn(kind)])),
};

async function placeIn(kind: (typeof databases)[number]): Promise<Place> {
  const { url, remove } = await kind.create();
  const threads = await openThreads(url);
  const other = kind.lasting ? await openThreads(url) : threads;
  onTestFinished(async () => {
    await other.close();
    await threads.close();
    await remove();
  });
  return {
    savers: [threads.checkpointer, other.checkpointer],
    threads,
    ...(kind.lasting && { killed: (run: KilledRun) => killedRun(url, run) }),
  };
}

/** Runs a turn in a process that kills itself. Returns what its tools did. */
async function killedRun(url: string, run: KilledRun): Promise<Effect[]> {
  const folder = await mkdtemp(join(tmpdir(), "glassloop-killed-"));
  const file = join(folder, "effects");
  await execute(process.execPath, [program, JSON.stringify({ ...run, url, file })]).catch(
    ({ signal }: { readonly signal: string }) => expect(signal).toBe("SIGKILL"),
  );
  const lines = await readFile(file, "utf8").catch(() => "");
  await rm(folder, { recursive: true });
  return lines
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

describe.each(Object.entries(places))("threads in %s", (name, open) => {
  it("keep messages and decisions, and make each call with effects once, whatever happens", async () => {
    const place = await open();
    const first = Number(SEED);
    const counts: Record<string, number> = {};
    const found: string[] = [];
    for (let seed = first; seed < first + Number(SEQUENCES || 2); seed += 1) {
      const turns = new RandomTurns(place, randomFrom(seed), `s${seed}-`);
      await turns.run(Number(STEPS));
      for (const [act, count] of turns.counts) counts[act] = (counts[act] ?? 0) + count;
      if (turns.wrong.length > 0) found.push(`Seed ${seed}:\n${[...turns.steps, ...turns.wrong].join("\n")}`);
      if (found.length >= 3) break;
    }
    if (SEQUENCES) console.log(name, counts);
    expect(found.join("\n\n")).toBe("");
  });
});
