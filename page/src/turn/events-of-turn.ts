import type { ListedTurn, TurnEvent, TurnPart } from "../wire.js";
import { type KeptStep, ofStep, tokensOf } from "./kept-step.js";

/** A turn that is kept: a whole one, one in lines, or that of an agent in a tool. */
export type KeptFacts = Pick<
  ListedTurn,
  "number" | "asked" | "answer" | "startedAt" | "writtenAt" | "workedMs" | "usage"
> &
  Pick<ListedTurn, "stopReason"> &
  Partial<Pick<TurnPart, "question" | "quietCalls" | "retrieval" | "sources" | "citations" | "waiting">> & {
    readonly steps: readonly KeptStep[];
  };

/** Where the events of a turn come from. */
interface Origin {
  readonly turn: string;
  readonly path: string[];
}
type Untold<Event> = Event extends TurnEvent ? Omit<Event, "turn" | "path" | "step" | "time" | "thread"> : never;
type Said = readonly [event: Untold<TurnEvent>, at?: string | undefined];

/** Makes the events of a turn that is kept, as they came while it ran. Those of agents in its tools are among them. */
export function* eventsOf(
  turn: KeptFacts,
  origin: Origin = { turn: "kept", path: [] },
  action?: string,
): Generator<TurnEvent> {
  let time = turn.startedAt ?? turn.writtenAt;
  const say = ([event, at = time]: Said, step: number): TurnEvent => {
    time = at;
    return { ...event, ...origin, step, time };
  };
  for (const event of beginning(turn, action)) yield say(event, 0);
  for (let n = 0; n <= turn.steps.length; n += 1) {
    for (const event of between(turn, n)) yield say(event, n + 1);
    const step = turn.steps[n];
    if (step === undefined) break;
    for (const event of reply(step)) yield say(event, n + 1);
    for (const event of calls(step)) yield say(event, n + 1);
    yield* innerEvents(step, origin);
    for (const event of results(step)) yield say(event, n + 1);
  }
  for (const event of ending(turn)) yield say(event, turn.steps.length);
}

function* beginning({ number, asked = "", question }: KeptFacts, action: string | undefined): Generator<Said> {
  yield [{ type: "turn-start", asked, number, resumed: false, ...(action !== undefined && { action }) }];
  if (question) yield [{ type: "question", asked, question }];
}

/** What came after so many replies, and before the next one. */
function* between({ quietCalls = [], retrieval, steps }: KeptFacts, replies: number): Generator<Said> {
  for (const search of retrieval?.searched ?? []) {
    const at = search.times?.at ?? "";
    const after = steps.filter(({ asked }) => asked?.at !== undefined && asked.at < at).length;
    if (after === replies) yield [{ type: "search", ...search }, search.times?.at];
  }
  for (const { purpose, model, times, usage, after = 0 } of quietCalls) {
    if (after !== replies) continue;
    yield [{ type: "model-start", purpose, model }, times?.at];
    yield [{ type: "model-end", purpose, model, ...tokensOf(usage) }, later(times?.at, times?.ms)];
  }
}

function* reply({ asked, byProvider, thought, kind, correction }: KeptStep): Generator<Said> {
  if (asked) {
    const { model, at, ms, inputTokens, outputTokens, cacheReadTokens } = asked;
    yield [{ type: "model-start", purpose: "reply", model }, at];
    yield [{ type: "model-end", purpose: "reply", model, inputTokens, outputTokens, cacheReadTokens }, later(at, ms)];
  }
  for (const event of byProvider) yield [event];
  if (thought && kind !== "finish") yield [{ type: "thought", text: thought }];
  if (correction) yield [{ type: "correction", text: correction }];
}

function* calls({ calls }: KeptStep): Generator<Said> {
  for (const { id, tool, input: toolInput } of calls) yield [{ type: "action", id, tool, toolInput }];
  for (const { id, decision, decided } of calls) if (decision) yield [{ type: "decision", id, decision, decided }];
}

function* results({ calls }: KeptStep): Generator<Said> {
  for (const { id, status, result: text = "", at, ms } of calls)
    if (status) yield [{ type: "observation", id, text, status }, later(at, ms)];
}

function* ending(turn: KeptFacts): Generator<Said> {
  const { answer, stopReason, usage, workedMs: milliseconds = 0, citations = [], waiting = [], sources = [] } = turn;
  if (citations.length > 0) yield [{ type: "citations", citations }];
  if (answer !== undefined && stopReason) {
    const last = turn.steps.at(-1);
    const why =
      stopReason === "ungrounded" ? turn.retrieval?.complaint : last?.kind === "finish" ? last.why : undefined;
    const cited = new Set(citations.flatMap(({ source }) => source ?? []));
    const named = [...cited].flatMap((at) => {
      const { title, address, heading } = sources[at] ?? {};
      return title === undefined || address === undefined ? [] : [{ number: at + 1, title, address, heading }];
    });
    yield [{ type: "answer", text: answer, stopReason, why, sources: named }];
  }
  const end = waiting.length > 0 ? "waiting" : stopReason;
  if (end && usage) yield [{ type: "turn-end", stopReason: end, usage: { turn: usage, thread: usage }, milliseconds }];
}

/** The events of agents in the tools of a step. */
function* innerEvents(step: KeptStep, { path }: Origin): Generator<TurnEvent> {
  for (const run of step.inner) {
    const call = step.calls.find(({ id }) => id === run.call);
    if (call === undefined) continue;
    const turn = { ...run, steps: run.steps.map(ofStep) };
    yield* eventsOf(turn, { turn: run.namespace, path: [...path, call.tool] }, call.id);
  }
}

function later(at: string | undefined, ms: number | undefined): string | undefined {
  return at === undefined || ms === undefined ? at : new Date(Date.parse(at) + ms).toISOString();
}
