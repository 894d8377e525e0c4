/**
 * The sentences of the page. Each level begins with one: a turn, a step, a call. They say "you" for the person who reads, and for
 * somebody without a name.
 */
import type { ApprovalDecision, Decided } from "../../../src/core/state/approval.js";
import type { StopReason } from "../../../src/core/state/decision.js";
import type { WaitingQuestion } from "../wire.js";
import { counted, duration, timeOfDay } from "./amounts.js";
import type { Call, Search, Step, StepNote, Turn } from "./turn.js";
import { waitedMs, waitsOf } from "./waits.js";

/** A sentence whose beginning stands out. */
export interface Headed {
  readonly head: string;
  readonly rest: string;
}

/** What a person can do about the end of a turn. */
export type Offer = "go on" | "ask again";

/** How a turn ended. */
export type End = StopReason | "waiting" | "handed-over";
interface EndWords {
  /** The beginning of the sentence about the turn; a time may follow. */
  readonly head: string;
  readonly tone: "good" | "person" | "bad" | "plain";
  /** What a limit is about, if the turn does not say it. */
  readonly about?: string;
  /** What is said above the answer. */
  readonly note?: string;
  readonly offer?: Offer;
}

const limit = (about: string): EndWords => ({ head: "Stopped at a limit", tone: "person", about, offer: "go on" });

const ends: Readonly<Record<End, EndWords>> = {
  answered: { head: "Answered", tone: "good" },
  returned: { head: "Answered by a tool", tone: "good" },
  length: { head: "Cut off by the token limit", tone: "person", note: "The token limit cut this answer off." },
  refused: {
    head: "The model refused to answer",
    tone: "person",
    note: "The model refused to answer.",
    offer: "ask again",
  },
  "not-found": { head: "Nothing that helps was found", tone: "person", note: "The search found nothing that helps." },
  ungrounded: {
    head: "Not confirmed by the passages",
    tone: "person",
    note: "The passages do not confirm this answer",
    offer: "ask again",
  },
  "step-limit": limit("the steps of a turn"),
  "tool-call-limit": limit("the calls of one tool"),
  "model-call-limit": limit("the model calls of a turn"),
  "token-limit": limit("the tokens of a turn"),
  "cost-limit": limit("the dollars of a turn"),
  "time-limit": limit("the time of a turn"),
  repeats: limit("calls that were made before, with the same results"),
  "stop-condition": limit("a condition of this agent"),
  unreadable: limit("too many replies in a row could not be read"),
  "invalid-output": limit("too many answers in a row did not have the form that was asked for"),
  filtered: {
    head: "Stopped by the provider's content filter",
    tone: "bad",
    note: "The provider's content filter stopped this reply.",
    offer: "ask again",
  },
  cancelled: { head: "Stopped on request", tone: "plain", note: "This turn was stopped.", offer: "ask again" },
  interrupted: {
    head: "Stopped before its end",
    tone: "bad",
    note: "This turn was stopped before it had an answer.",
    offer: "ask again",
  },
  failed: { head: "Failed", tone: "bad", note: "This turn failed.", offer: "ask again" },
  waiting: { head: "Waits for you", tone: "person" },
  "handed-over": { head: "Handed over to the graph around this agent", tone: "plain" },
};

function isEnd(stopReason: string): stopReason is End {
  return Object.hasOwn(ends, stopReason);
}

/** The name of a person in a sentence: "you" for the one who reads, and for one without a name. */
export function nameOf(by: string | undefined, caller: string | undefined): string {
  return by === undefined || by === caller ? "you" : by;
}

/** Words in a list: `a, b and c`. */
export function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** Begins a sentence with a large letter. */
export function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** Words after a colon: without a large letter at their beginning, unless the word has more of them, and with a stop at their end. */
function afterColon(text: string): string {
  const whole = text.trim().replace(/[.\s]+$/, "");
  return `${/^(?!I\b)\p{Lu}[\p{Ll}']*(?:\s|$)/u.test(whole) ? whole.slice(0, 1).toLowerCase() + whole.slice(1) : whole}.`;
}

/** How a turn stands, in a few words for a chip. */
export function turnState(turn: Turn): { readonly text: string; readonly tone: EndWords["tone"] } {
  if (turn.error !== undefined) return { text: ends.failed.head, tone: "bad" };
  if (turn.waiting.length > 0) return { text: ends.waiting.head, tone: "person" };
  if (turn.stopReason === undefined) return { text: turn.now ? "Works" : "Not finished", tone: "plain" };
  if (!isEnd(turn.stopReason)) return { text: turn.stopReason, tone: "plain" };
  const { head, tone } = ends[turn.stopReason];
  return { text: head, tone };
}

/** What happened in a turn: how it ended and after what time, why, and what was done. */
export function turnSentence(turn: Turn, caller?: string): Headed {
  const done = doneIn(turn, caller);
  if (turn.waiting.length > 0) {
    const since = askedSince(turn.waiting);
    const head = `Waits for you${since === undefined ? "" : ` since ${timeOfDay(since)}`}`;
    return { head, rest: sentences(listed(turn.waiting.map(questionWords)), done && `so far ${done}`) };
  }
  if (turn.error === undefined && turn.stopReason === undefined) {
    return { head: turnState(turn).text, rest: sentences(turn.now ? turn.now.node : "", done) };
  }
  const words = turn.stopReason !== undefined && isEnd(turn.stopReason) ? ends[turn.stopReason] : undefined;
  const why = turn.error?.message ?? turn.why ?? words?.about ?? "";
  return {
    head: `${turn.error ? ends.failed.head : turnState(turn).text}${timeWords(turn, caller)}`,
    rest: sentences(why, done),
  };
}

/** Parts as the end of a sentence and sentences of their own. */
function sentences(...parts: readonly (string | undefined)[]): string {
  const [first, ...others] = parts
    .filter((part) => part !== undefined && part !== "")
    .map((part) => afterColon(part ?? ""));
  return first === undefined ? "." : [`: ${first}`, ...others.map(capital)].join(" ");
}

function timeWords(turn: Turn, caller: string | undefined): string {
  if (turn.workedMs === undefined) return "";
  const waits = waitsOf(turn);
  const waited = waitedMs(waits);
  if (waited === 0) return ` in ${duration(turn.workedMs)}`;
  const names = [...new Set(waits.map(({ by }) => nameOf(by, caller)))];
  return ` after ${duration(turn.workedMs + waited)}, ${duration(waited)} of them waiting for ${listed(names)}`;
}

/** What was done in a turn: `6 calls, 1 refused by you, 1 changed by you`; empty if there is nothing to tell. */
function doneIn({ steps, searches }: Turn, caller: string | undefined): string {
  const calls = steps.flatMap((step) => step.calls);
  const failed = calls.filter(hasFailed).length;
  const unread = steps.filter((step) => step.kind === "unparseable" && !metLimit(step)).length;
  const decided = new Map<string, number>();
  for (const { decision, decided: by } of calls) {
    const done = decision && decisionDone[decision.type];
    if (!done) continue;
    const key = `${done} by ${nameOf(by?.by, caller)}`;
    decided.set(key, (decided.get(key) ?? 0) + 1);
  }
  return [
    calls.length > 0 && counted(calls.length, "call"),
    failed > 0 &&
      (failed === calls.length ? (failed === 1 ? "which failed" : "all of them failed") : `${failed} of them failed`),
    ...[...decided].map(([words, number]) => `${number} ${words}`),
    unread > 0 && `${counted(unread, "reply", "replies")} that could not be read`,
    searches.length > 0 && counted(searches.length, "search", "searches"),
  ]
    .filter((part) => part !== false)
    .join(", ");
}

/** What a person did with a call, as a sentence about a turn tells it. An approval is not told there. */
const decisionDone: Readonly<Record<ApprovalDecision["type"], string>> = {
  approve: "",
  edit: "changed",
  refuse: "refused",
  answer: "answered",
};

/** What is said above the answer of a turn, and what can be done about it; undefined if nothing has to be said. */
export function turnNote(
  turn: Turn,
): { readonly tone: "person" | "bad"; readonly text: string; readonly offer?: Offer } | undefined {
  if (turn.error !== undefined) return { tone: "bad", text: turn.error.message, offer: "ask again" };
  if (turn.stopReason === undefined || !isEnd(turn.stopReason)) return undefined;
  const { head, tone, about, note, offer } = ends[turn.stopReason];
  const why = turn.why ?? about;
  const text = about === undefined ? note : head;
  if (text === undefined) return undefined;
  const whole = why === undefined ? text : `${text.replace(/\.$/, "")}: ${afterColon(why)}`;
  return { tone: tone === "bad" ? "bad" : "person", text: whole, ...(offer && { offer }) };
}

/** What a step was: how its reply was read, and what came of it. */
export function stepSentence(step: Step, waiting: readonly WaitingQuestion[] = [], caller?: string): string {
  const { kind, calls, why } = step;
  switch (kind) {
    case undefined:
      return "The model writes its reply.";
    case "finish":
      return why === undefined ? "The reply is the answer." : `The reply is the answer at a limit: ${afterColon(why)}`;
    case "unparseable":
      return unreadSentence(step);
    case "action":
      return `The reply has ${calls.length === 1 ? "one call" : counted(calls.length, "call")}${callsWords(calls, waiting, caller)}.`;
    default:
      return kind satisfies never;
  }
}

/** What the model is told about its reply: the first line of a correction, without its frame and the words of the reply. */
function correctionOf({ why = "" }: Step): string {
  const [, words = ""] = /^(?:\[[^\]\n]*\]\n)?(.*?)(?: It was: ".*)?$/m.exec(why) ?? [];
  return words;
}

const limitWords = "No more calls will be made: ";

/** Tells whether a limit kept the reply of a step from being followed. */
function metLimit(step: Step): boolean {
  return step.limit !== undefined || correctionOf(step).startsWith(limitWords);
}

function unreadSentence(step: Step): string {
  const words = correctionOf(step);
  if (metLimit(step)) {
    const why = words.startsWith(limitWords) ? words.slice(limitWords.length) : words;
    return `The model wanted a call beyond a limit: ${afterColon(why)} It is asked for its best answer.`;
  }
  return words === ""
    ? "The reply could not be read. The model is asked again."
    : `The reply could not be read: ${afterColon(words)} The model is asked again.`;
}

function callsWords(calls: readonly Call[], waiting: readonly WaitingQuestion[], caller: string | undefined): string {
  const asked = new Set(
    waiting.flatMap((question) => (question.type === "approval" ? question.requests : [])).map(({ id }) => id),
  );
  const waits = calls.filter(({ id, decision }) => asked.has(id) && decision === undefined);
  if (waits.length > 0)
    return waits.length === calls.length
      ? ", about which you are asked"
      : `, and you are asked about ${listed(waits.map(({ tool }) => tool))}`;
  const decided = calls.flatMap(({ decision, decided: by, tool }) =>
    decision === undefined
      ? []
      : [`${nameOf(by?.by, caller)} ${decisionVerb[decision.type]} ${calls.length === 1 ? "it" : tool}`],
  );
  return decided.length === 0 ? "" : `: ${listed(decided)}`;
}

const decisionVerb: Readonly<Record<ApprovalDecision["type"], string>> = {
  approve: "approved",
  edit: "changed",
  refuse: "refused",
  answer: "answered in place of",
};

/** How a call went: what a person decided, then what came of it. */
export function callSentence(call: Call, caller?: string): string {
  const { decision, decided, status } = call;
  if (decision !== undefined) return decisionSentence(decision, decided, caller);
  if (status === undefined) return "it has not ended";
  if (status === "unknown") return "it began, and nobody knows whether it ended";
  return status === "error" ? "it failed" : "it ran";
}

/** What a person decided about a call: "you changed its input, then it ran". */
export function decisionSentence(decision: ApprovalDecision, decided?: Decided, caller?: string): string {
  const who = nameOf(decided?.by, caller);
  switch (decision.type) {
    case "approve":
      return `${who} approved it`;
    case "edit":
      return `${who} changed its input, then it ran`;
    case "refuse":
      return `${who} refused it${decision.reason ? `: ${decision.reason}` : ""}`;
    case "answer":
      return `${who} answered in its place`;
    default:
      return decision satisfies never;
  }
}

/** Tells whether a call failed. A call that a person refused did not. */
export function hasFailed({ status, decision }: Call): boolean {
  return status === "error" && decision?.type !== "refuse" && decision?.type !== "answer";
}

/** What a person is asked. */
export function questionWords(question: WaitingQuestion): string {
  if (question.type === "interrupt") return "a tool asks you something";
  const { requests } = question;
  return requests.length === 1
    ? `one call waits, ${requests[0]?.tool}`
    : `${counted(requests.length, "call")} wait, ${listed(requests.map(({ tool }) => tool))}`;
}

/** Since when a person is asked; undefined if that is not known. */
export function askedSince(waiting: readonly WaitingQuestion[]): string | undefined {
  const times = waiting
    .flatMap((question) => (question.type === "approval" ? question.requests : []))
    .map(({ askedAt }) => askedAt);
  return times.filter((time) => time !== undefined).sort()[0];
}

/** What a search found. */
export function searchSentence({ found, error, notSearched }: Search): string {
  const words = error === undefined ? `${found} found` : `it failed: ${error}`;
  return notSearched === undefined ? words : `${words}. ${notSearched}`;
}

/** What was changed on the way to a reply. */
export function noteSentence({ type, fields }: StepNote): string {
  const text = (name: string) => String(fields[name] ?? "");
  const why = text("why") === "" ? "." : `: ${text("why").replace(/[.\s]+$/, "")}.`;
  switch (type) {
    case "retry":
      return `The model was asked again after ${duration(Number(fields.milliseconds ?? 0))}, try ${text("attempt")}${why}`;
    case "model-fallback":
      return `${text("from")} failed, and ${text("to")} was asked${why}`;
    case "protocol-fallback":
      return `The model's server refused the protocol ${text("from")}, and ${text("to")} went on${why}`;
    case "refusal":
      return `The server of ${text("model")} refused a part of the request, which was made again without it: ${text("part")}${why}`;
    case "shortened":
      return shortenedSentence(Number(fields.observations ?? 0), Number(fields.turns ?? 0), why);
    case "files-named":
      return `The prompt names the files in words${why}`;
    default:
      return type satisfies never;
  }
}

function shortenedSentence(observations: number, turns: number, why: string): string {
  const parts = [
    observations > 0 && `${counted(observations, "result")} ${observations === 1 ? "is" : "are"} shown in part`,
    turns > 0 && `the ${turns === 1 ? "oldest turn is" : `${turns} oldest turns are`} left out`,
  ].filter((part) => part !== false);
  return `The prompt was too long, so ${listed(parts)}${why}`;
}

/** What a model call is for, in words. */
export function purposeWords(purpose: string): string {
  return purpose === "reply" ? "plan" : purpose.replaceAll("-", " ");
}
