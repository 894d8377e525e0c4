import type { Call, Step, Turn } from "../../src/turn/turn.js";
import type { TurnEvent } from "../../src/wire.js";

/**
 * What both know of a turn: its events, and the thread that keeps it. Left out is
 *
 * - what only events tell: the id of the turn, reasoning and notes, which no state has; the error, which the run has;
 * - what only a thread tells: checkpoints, sources and cost, the text of a reply, the id of one without calls, notes of results, the
 *   schema of what waits;
 * - times and tokens of one asking: events have the times at which they were sent, and a thread adds up all tries;
 * - the limit of a reply, which a line names and else the words of its reason; why an answer is the last one, as the turn says it;
 * - of a turn that failed the step at which it did, its costs, and that it failed, which its run has;
 * - what a model said before its answer in a text protocol, as the event has it with what the protocol writes around.
 */
export function known(whole: Turn): object {
  const { id, kept, error, cost, workedMs, startedAt, now, usage, quiet, searches, waiting, stopReason, ...turn } =
    whole;
  const hasFailed = stopReason === "failed" || stopReason === "interrupted";
  return {
    ...turn,
    stopReason: hasFailed ? undefined : stopReason,
    modelCalls: stopReason && !hasFailed ? usage?.modelCalls : undefined,
    steps: turn.steps.filter(({ kind }) => !hasFailed || kind !== undefined).map(knownStep),
    quiet: quiet.map(({ purpose, model, after }) => ({ purpose, model, after })),
    searches: searches.map(({ at, ms, ...search }) => search),
    waiting: waiting.map((question) =>
      question.type === "interrupt"
        ? question
        : { ...question, requests: question.requests.map(({ id, tool, input }) => ({ id, tool, input })) },
    ),
  };
}

function knownStep({ reply, asked, text, reasoning, notes, why, limit, thought, kind, calls, ...step }: Step): object {
  return {
    ...step,
    kind,
    model: asked?.model,
    ...(kind !== "finish" && { thought, why }),
    calls: calls.map(({ at, ms, note, inner, decided, ...call }: Call) => ({ ...call, inner: inner.map(known) })),
  };
}

/** What a turn in lines says, too. */
export function knownInLines({ number, asked, answer, stopReason, steps, usage }: Turn): object {
  const calls = (step: Step) =>
    step.calls.filter(({ by }) => !by).map(({ id, tool, status }) => ({ id, tool, status }));
  const lines = steps.map((step) => ({ number: step.number, kind: step.kind, calls: calls(step) }));
  return { number, asked, answer, stopReason, usage, steps: lines };
}

/** Says what is wrong with a turn after an event; nothing if nothing is. Words grow, and nothing is shown twice. */
export function isConsistent(before: Turn | undefined, turns: readonly Turn[], event: TurnEvent): string {
  const turn = turns.at(-1);
  if (turn === undefined) return "";
  const ids = turn.steps.flatMap(({ calls }) => calls.map(({ id }) => id));
  if (new Set(ids).size < ids.length) return `calls twice after ${event.type}: ${ids}`;
  if (turn.steps.some(({ number }, n) => number !== n + 1)) return `steps out of order after ${event.type}`;
  if (new Set(turns.map(({ number }) => number)).size < turns.length) return `turns twice after ${event.type}`;
  const isWritten = event.type === "answer-delta" || event.type === "text-delta";
  if (before && isWritten && before.id === turn.id && event.path.length === 0) {
    if (!turn.answer?.startsWith(before.answer ?? "") && before.answer) return "the answer does not grow";
    if (turn.writing && turn.writing === turn.answer?.trim()) return "the answer is shown twice";
  }
  return turn.now && turn.stopReason ? `at work and over after ${event.type}` : "";
}

/** The kinds of what happened in a turn, and in the agents in its tools. */
export function kindsOf({ steps, stopReason, quiet, searches, citations, error }: Turn): string[] {
  const ofStep = ({ kind, notes, calls }: Step) => [
    ...[`${kind}`, ...notes.map(({ type }) => type)],
    ...calls.flatMap(({ decision, status, inner }) => [
      ...[decision?.type ?? "undecided", status ?? "unfinished"],
      ...inner.flatMap((turn) => ["inner", ...kindsOf(turn).map((kind) => `inner ${kind}`)]),
    ]),
  ];
  const ofTurn = [stopReason ?? "open", ...quiet.map(({ purpose }) => purpose)];
  const found = [...searches.map(() => "search"), ...citations.map(() => "citation"), ...(error ? ["error"] : [])];
  return [...ofTurn, ...found, ...steps.flatMap(ofStep)];
}
