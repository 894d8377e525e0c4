import type { EventOf, TurnEvent } from "../wire.js";
import type { AskedModel, Call, Step, StepNote, Turn } from "./turn.js";

type OneOf<Type extends TurnEvent["type"]> = { [One in Type]: EventOf<One> }[Type];

/**
 * Takes an event of a thread into its turns, the oldest first. A turn that goes on after a stop begins with what is known of it. An
 * event of no turn that is known changes nothing.
 */
export function reduce(turns: readonly Turn[], event: TurnEvent): readonly Turn[] {
  if (event.type === "turn-start" && event.path.length === 0) return begun(turns, event);
  const last = turns.at(-1);
  if (last === undefined) return turns;
  const isQuestion = event.type === "approval" || event.type === "interrupt";
  const next = last.id === event.turn || isQuestion ? taken(last, event) : takenWithin(last, event);
  return next === last ? turns : [...turns.slice(0, -1), next];
}

/** A turn that begins again takes the place of all from its number on. */
function begun(turns: readonly Turn[], event: EventOf<"turn-start">): Turn[] {
  const before = turns.filter(({ number }) => number < event.number).map(left);
  const known = event.resumed && turns.find(({ number }) => number === event.number);
  return [...before, known ? goneOn(known, event) : newTurn(event)];
}

function newTurn({ turn: id, number, asked, time }: EventOf<"turn-start">): Turn {
  const nothing = { steps: [], quiet: [], searches: [], writing: "", citations: [], citedSources: [], waiting: [] };
  return { id, number, asked, startedAt: time, ...nothing, now: { node: "rephrase-question", since: time } };
}

/** A turn after which another one has begun: nothing is asked there any more. */
function left(turn: Turn): Turn {
  return turn.waiting.length > 0 || turn.now ? { ...turn, waiting: [], now: undefined } : turn;
}

/** A turn that goes on at a step. What an attempt that died said there, or later, does not count. */
function goneOn(turn: Turn, { turn: id, step: at, actions, time }: EventOf<"turn-start">): Turn {
  const { kept, answer, output, stopReason, why, error, ...known } = turn;
  const steps = known.steps.flatMap((step): Step[] => {
    if (step.number !== at) return step.number < at ? [step] : [];
    const { asked, reasoning } = step;
    // Its reply is read once more, or asked for anew.
    return [
      actions ? step : { number: at, asked: asked && { ...asked, ms: undefined }, reasoning, calls: [], notes: [] },
    ];
  });
  const now = { node: actions ? "act" : "plan", since: time };
  const open = { ...known, id, steps, writing: "", citations: [], citedSources: [], waiting: [], now };
  if (!actions) return open;
  return withStep(open, at, (step) => {
    const ours = actions.map((action) => {
      const call = step.calls.find((one) => one.id === action.id) ?? newCall(action, time);
      return call.status ? call : { ...call, at: time, inner: call.inner.map(left) };
    });
    return { ...step, kind: "action", calls: [...step.calls.filter(({ by }) => by), ...ours] };
  });
}

/** Takes an event of an agent in a tool into the call that runs it: one of the newest step. */
function takenWithin(turn: Turn, event: TurnEvent): Turn {
  const step = turn.steps.at(-1);
  const at = step?.calls.findIndex((call) => takenByCall(call, event) !== call) ?? -1;
  const call = step?.calls[at];
  if (!step || !call) return turn;
  const calls = step.calls.with(at, takenByCall(call, event));
  return { ...turn, steps: turn.steps.with(-1, { ...step, calls }) };
}

function takenByCall(call: Call, event: TurnEvent): Call {
  if (event.type === "turn-start" && event.action === call.id)
    return { ...call, inner: begunWithin(call.inner, event) };
  const at = call.inner.findLastIndex((turn) => turn.id === event.turn);
  const turn = at < 0 ? call.inner.at(-1) : call.inner[at];
  if (turn === undefined) return call;
  const next = at < 0 ? takenWithin(turn, event) : taken(turn, event);
  return next === turn ? call : { ...call, inner: call.inner.with(at, next) };
}

/** An agent in a tool that begins anew takes the place of its attempt that died, or of what the thread kept of it. */
function begunWithin(inner: readonly Turn[], event: EventOf<"turn-start">): Turn[] {
  const isSame = ({ id, number, asked }: Turn) =>
    id === event.turn || (id === undefined && number === event.number && asked === event.asked);
  const known = inner.find(isSame);
  const isDead = ({ stopReason, now, error }: Turn) => !stopReason && !now && !error;
  const others = inner.filter((turn) => turn !== known && (event.resumed || !isDead(turn)));
  return [...others, event.resumed && known ? goneOn(known, event) : newTurn(event)];
}

/** Takes an event of a turn. Each type has its case: one that is new does not compile. */
function taken(turn: Turn, event: Exclude<TurnEvent, { type: "turn-start" }> | EventOf<"turn-start">): Turn {
  switch (event.type) {
    case "turn-start":
      return goneOn(turn, event);
    case "question":
      return event.question === event.asked ? turn : { ...turn, question: event.question };
    case "model-start":
      return event.purpose === "reply" ? askedForStep(turn, event) : askedQuietly(turn, event);
    case "model-end":
      return event.purpose === "reply" ? repliedStep(turn, event) : repliedQuietly(turn, event);
    case "retry":
    case "model-fallback":
      return askedAgain(turn, event);
    case "protocol-fallback":
    case "refusal":
    case "files-named":
    case "shortened":
      return noted(turn, event);
    case "route":
    case "indexing":
    case "rerank":
    case "grade":
    case "check":
      return at(turn, nodeOfEvent[event.type], event);
    case "search":
      return searched(turn, event);
    case "reasoning-delta":
      return withStep(firstWord(turn, event), event.step, (step) => ({
        ...step,
        reasoning: (step.reasoning ?? "") + event.text,
      }));
    case "reasoning":
      return withStep(turn, event.step, (step) => ({ ...step, reasoning: event.text }));
    case "text-delta":
      return { ...firstWord(turn, event), writing: turn.writing + event.text };
    case "thought":
      return withStep({ ...turn, writing: "" }, event.step, (step) => ({ ...step, thought: event.text }));
    case "correction":
      return corrected(turn, event);
    case "action":
      return acted(turn, event);
    case "observation":
      return observed(turn, event);
    case "decision":
      return withCall(turn, event.id, (call) => {
        const { decision, decided } = event;
        return { ...call, at: event.time, decision, decided };
      });
    case "approval":
    case "interrupt": {
      const { thread, turn: _, step, time, path, ...question } = event;
      const others = turn.waiting.filter(({ interrupt }) => interrupt !== question.interrupt);
      return { ...turn, waiting: [...others, question] };
    }
    case "answer-delta":
      return { ...firstWord(toldThought(turn, event), event), answer: (turn.answer ?? "") + event.text };
    case "answer-reset":
      return { ...turn, answer: undefined, output: undefined };
    case "output-delta":
      return { ...firstWord(turn, event), output: event.output };
    case "citations":
      return { ...turn, citations: event.citations };
    case "answer":
      return answered(turn, event);
    case "error": {
      const { name, message, code, kind } = event;
      return { ...turn, error: { name, message, ...(code && { code }), ...(kind && { kind }) } };
    }
    case "turn-end":
      return ended(turn, event);
    case "dropped":
    case "prompt":
    case "reply":
      return turn;
    default:
      event satisfies never;
      return turn;
  }
}

/** The nodes in which quiet calls are made, and from which events come. */
const nodeOfPurpose: Readonly<Record<Exclude<EventOf<"model-start">["purpose"], "reply">, string>> = {
  rephrasing: "rephrase-question",
  summary: "plan",
  routing: "route",
  translation: "translate",
  grading: "grade",
  rewriting: "rewrite",
  "next-query": "next-query",
  note: "map",
  draft: "refine",
  check: "check",
  "not-found": "parse",
};
const nodeOfEvent = { route: "route", indexing: "retrieve", rerank: "retrieve", grade: "grade", check: "check" };

function at(turn: Turn, node: string, { time }: TurnEvent): Turn {
  return turn.now?.node === node ? turn : { ...turn, now: { node, since: time } };
}

function since(start: string | undefined, { time }: TurnEvent): number | undefined {
  return start === undefined ? undefined : Math.max(0, Date.parse(time) - Date.parse(start));
}

function withStep(turn: Turn, number: number, change: (step: Step) => Step): Turn {
  const place = turn.steps.findLastIndex((step) => step.number === number);
  const step = turn.steps[place];
  if (step) return { ...turn, steps: turn.steps.with(place, change(step)) };
  return { ...turn, steps: [...turn.steps, change({ number, calls: [], notes: [] })] };
}

function withCall(turn: Turn, id: string, change: (call: Call) => Call): Turn {
  // A provider's result may come in a later step than its call.
  const place = turn.steps.findLastIndex(({ calls }) => calls.some((call) => call.id === id));
  const step = turn.steps[place];
  if (step === undefined) return turn;
  const calls = step.calls.map((call) => (call.id === id ? change(call) : call));
  return { ...turn, steps: turn.steps.with(place, { ...step, calls }) };
}

/** A model is asked for the reply of a step. What another one said for it does not count. */
function askedForStep(turn: Turn, { step: number, model, time }: EventOf<"model-start">): Turn {
  const before = turn.steps.at(-1);
  // A reply that led to nothing was one that the provider paused.
  const isPaused = before && before.number < number && before.kind === undefined;
  const steps = isPaused ? turn.steps.with(-1, { ...before, kind: "unparseable" }) : turn.steps;
  const open = {
    ...turn,
    steps,
    writing: "",
    answer: undefined,
    output: undefined,
    now: { node: "plan", since: time },
  };
  return withStep(open, number, ({ asked, notes }) => {
    const earlier = asked?.ms === undefined ? undefined : asked;
    return { number, asked: { ...earlier, model, at: earlier?.at ?? time }, calls: [], notes };
  });
}

type Tokens = Pick<AskedModel, "inputTokens" | "outputTokens" | "cacheReadTokens">;

function addTokens(asked: AskedModel, tokens: Tokens): Tokens {
  const names = ["inputTokens", "outputTokens", "cacheReadTokens"] as const;
  const sums = names.flatMap((name) =>
    tokens[name] === undefined ? [] : [[name, (asked[name] ?? 0) + tokens[name]] as const],
  );
  return Object.fromEntries(sums);
}

function repliedStep(turn: Turn, event: EventOf<"model-end">): Turn {
  return withStep(at(turn, "parse", event), event.step, (step) => {
    const { asked = { model: event.model } } = step;
    return { ...step, asked: { ...asked, ...addTokens(asked, event), ms: since(asked.at, event) } };
  });
}

/** The number of replies so far. */
function replies({ steps }: Turn): number {
  return steps.filter(({ asked }) => asked?.ms !== undefined).length;
}

function askedQuietly(turn: Turn, event: EventOf<"model-start">): Turn {
  const { purpose, model, time } = event;
  if (purpose === "reply") return turn;
  const quiet = [...turn.quiet, { purpose, model, at: time, after: replies(turn) }];
  return at({ ...turn, quiet }, nodeOfPurpose[purpose], event);
}

function repliedQuietly(turn: Turn, event: EventOf<"model-end">): Turn {
  const isOpen = ({ purpose, ms }: Turn["quiet"][number]) => purpose === event.purpose && ms === undefined;
  const place = turn.quiet.findIndex(isOpen);
  const call = turn.quiet[place];
  if (call === undefined) return turn;
  // Without tokens no reply came: another model is asked, or the turn does without.
  if (event.outputTokens === undefined) return { ...turn, quiet: turn.quiet.toSpliced(place, 1) };
  const ended = { ...call, ...addTokens(call, event), ms: since(call.at, event) };
  return { ...turn, quiet: turn.quiet.with(place, ended) };
}

/** The words of a reply do not count if it is asked for again. */
function askedAgain(turn: Turn, event: OneOf<"retry" | "model-fallback">): Turn {
  if (event.purpose !== "reply") return turn;
  return withStep(noted({ ...turn, writing: "" }, event), event.step, ({ reasoning, asked, ...step }) => {
    const tries = event.type === "retry" ? { tries: event.attempt } : {};
    return { ...step, ...(asked && { asked: { ...asked, ...tries, firstMs: undefined } }) };
  });
}

function noted(turn: Turn, event: OneOf<StepNote["type"]>): Turn {
  const { type, thread, turn: _, step, time, path, ...fields } = event;
  return withStep(turn, step, (one) => ({ ...one, notes: [...one.notes, { type, fields }] }));
}

function searched(turn: Turn, event: EventOf<"search">): Turn {
  const { retriever, query, found, error, notSearched, times } = event;
  const said = { retriever, query, found, ...(error && { error }), ...(notSearched && { notSearched }) };
  const search = { ...said, at: times?.at ?? event.time, ms: times?.ms, after: replies(turn) };
  return at({ ...turn, searches: [...turn.searches, search] }, "retrieve", event);
}

function firstWord(turn: Turn, event: TurnEvent): Turn {
  const asked = turn.steps.at(-1)?.asked;
  if (asked === undefined || asked.firstMs !== undefined || asked.ms !== undefined) return turn;
  return withStep(turn, event.step, (step) => ({ ...step, asked: { ...asked, firstMs: since(asked.at, event) } }));
}

/** What was written before the answer was a thought, unless it was the answer, which an agent with a hook says again. */
function toldThought(turn: Turn, { step: number, text }: OneOf<"answer-delta" | "answer">): Turn {
  const written = turn.writing.trim();
  if (written === "") return turn;
  const isAnswer = text.trimStart().startsWith(written);
  return withStep({ ...turn, writing: "" }, number, (step) => (isAnswer ? step : { ...step, thought: written }));
}

/** A correction before a reply only asks for the last one. */
function corrected(turn: Turn, event: EventOf<"correction">): Turn {
  const step = turn.steps.at(-1);
  if (step?.number !== event.step || step.asked === undefined) return turn;
  return at({ ...turn, steps: turn.steps.with(-1, { ...step, kind: "unparseable", why: event.text }) }, "plan", event);
}

type Action = Pick<EventOf<"action">, "id" | "tool" | "toolInput" | "by">;

function newCall({ id, tool, toolInput: input, by }: Action, time: string): Call {
  return { id, tool, input, ...(by && { by }), at: time, inner: [] };
}

function acted(turn: Turn, event: EventOf<"action">): Turn {
  const working = event.by ? turn : at(turn, "act", event);
  return withStep(working, event.step, (step) => {
    const others = step.calls.filter(({ id }) => id !== event.id);
    const own = event.by ? {} : { kind: "action" as const, reply: event.id.replace(/-\d+$/, "") };
    return { ...step, ...own, calls: [...others, newCall(event, event.time)] };
  });
}

function observed(turn: Turn, event: EventOf<"observation">): Turn {
  return withCall(turn, event.id, (call) => {
    return { ...call, status: event.status, result: event.text, ms: since(call.at, event) };
  });
}

function answered(turn: Turn, event: EventOf<"answer">): Turn {
  const { text: answer, output, sources: citedSources = [], stopReason, why, step: number } = event;
  const last = turn.steps.at(-1);
  const isFinish = last !== undefined && last.number === number && last.kind === undefined;
  const told = toldThought(turn, event);
  const next = isFinish ? withStep(told, number, (step) => ({ ...step, kind: "finish" })) : told;
  return { ...next, answer, output, citedSources, stopReason, ...(why && { why }), writing: "", now: undefined };
}

function ended(turn: Turn, event: EventOf<"turn-end">): Turn {
  const { stopReason, usage, milliseconds, path } = event;
  // What an agent in a tool asks is asked by the turn around it.
  const waiting = path.length === 0 ? (event.waiting ?? []) : [];
  const workedMs = (turn.workedMs ?? 0) + milliseconds;
  const end = stopReason === "waiting" ? {} : { stopReason };
  return { ...turn, ...end, waiting, usage: usage.turn, workedMs, now: undefined };
}
