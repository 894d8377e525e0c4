import type { ListedTurn, TurnPart } from "../wire.js";
import { eventsOf, type KeptFacts } from "./events-of-turn.js";
import { type KeptStep, ofLine, ofStep } from "./kept-step.js";
import { reduce } from "./reduce.js";
import type { Step, Turn } from "./turn.js";

/** Makes a turn of its steps in lines. */
export function turnOfLines(listed: ListedTurn): Turn {
  const { begin, end, writtenAt, next, cost, steps } = listed;
  const turn = reduced({ ...listed, steps: steps.map(ofLine) });
  return { ...turn, cost, kept: { begin, end, writtenAt, next, isWhole: false, checkpoints: [], sources: [] } };
}

/** Makes a turn of what its thread keeps, with all of its steps. */
export function turnOfWhole(whole: TurnPart): Turn {
  const { begin, end, writtenAt, checkpoints, sources, retrieval, cost, waiting, quietCalls } = whole;
  const turn = reduced({ ...whole, steps: whole.steps.map(ofStep) });
  const next = checkpoints.at(-1)?.next ?? [];
  const kept = { begin, end, writtenAt, next, isWhole: true, checkpoints, sources, retrieval: retrieval ?? undefined };
  const quiet = turn.quiet.map((call, n) => ({ ...call, id: quietCalls[n]?.id, text: quietCalls[n]?.text }));
  return { ...turn, quiet, waiting, cost, kept };
}

function reduced(facts: KeptFacts): Turn {
  const [turn] = [...eventsOf(facts)].reduce(reduce, []);
  if (turn === undefined) throw new Error("A turn has at least its beginning.");
  const { usage, workedMs } = facts;
  // What is kept does not say that somebody works on it now.
  return { ...joined(turn, facts.steps), usage, workedMs, now: undefined };
}

/** Adds what only a thread knows of the steps: their texts, and exact times. */
function joined({ id, ...turn }: Turn, kept: readonly KeptStep[]): Turn {
  const steps = turn.steps.map((step): Step => {
    const known = kept[step.number - 1];
    if (known === undefined) return step;
    const { reply, text, kind, thought, why, limit, asked } = known;
    const calls = step.calls.map((call) => {
      const { at, ms, note } = known.calls.find((one) => one.id === call.id) ?? {};
      const runs = known.inner.filter((run) => run.call === call.id);
      const inner = call.inner.map((one, n) => joined(one, runs[n]?.steps.map(ofStep) ?? []));
      return { ...call, at, ms, note, inner };
    });
    // Why a reply could not be followed is told in the words that the model reads, as while the turn runs.
    return { ...step, reply, text, kind, thought, why: step.why ?? why, limit, asked, calls };
  });
  return { ...turn, steps };
}
