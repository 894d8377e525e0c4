import { count, counted, duration } from "../turn/amounts.js";
import { listed } from "../turn/sentences.js";
import type { Difference } from "../wire.js";

export type Change = Difference["changes"][number];

/** What a checkpoint changed in a channel, in a few words. */
export function changeSentence(change: Change): string {
  if ("at" in change) return listSentence(change);
  const { channel, before, after } = change;
  if (after === undefined || after === null) return "is empty now";
  const words = sentences[channel]?.(fieldsOf(after), after) ?? "";
  return words || (before === undefined || before === null ? "is new" : "has another value");
}

/** The name of what changed: a channel, or a list in it. */
export function changeName({ channel, ...change }: Change): string {
  return "field" in change && change.field !== undefined ? `${channel}.${change.field}` : channel;
}

function listSentence({ channel, added, removed, length, ...change }: Extract<Change, { at: number }>): string {
  const [one, many] = (!("field" in change) && items[channel]) || ["item", "items"];
  const parts = [
    added.length > 0 && `+${counted(added.length, one, many)}`,
    removed.length > 0 && `−${counted(removed.length, one, many)}`,
  ].filter((part) => part !== false);
  if (length === undefined) return "is empty now";
  return `${parts.length > 0 ? `${listed(parts)}, ` : ""}${count(length)} in all`;
}

const items: Readonly<Record<string, readonly [one: string, many: string]>> = {
  messages: ["message", "messages"],
  intermediateSteps: ["step", "steps"],
  quietCalls: ["quiet call", "quiet calls"],
  sources: ["source", "sources"],
  citations: ["citation", "citations"],
  outside: ["source of text from outside", "sources of text from outside"],
  kept: ["call that waits", "calls that wait"],
};

type Fields = Readonly<Record<string, unknown>>;

const sentences: Readonly<Record<string, (after: Fields, value: unknown) => string>> = {
  turn: ({ number }) => `turn ${number} began`,
  question: (_, text) => `“${short(text)}”`,
  answer: (_, text) => `“${short(text)}”`,
  stopReason: (_, reason) => `the turn ended: ${short(reason)}`,
  workedMs: (_, time) => `${duration(Number(time))} of work so far`,
  reply: ({ toolCalls, text }) =>
    listOf(toolCalls).length > 0
      ? counted(listOf(toolCalls).length, "native call")
      : `${counted(String(text ?? "").length, "character")} of text`,
  decision: decisionSentence,
  prompt: ({ model, protocol }) => `for ${short(model)}, in the protocol ${short(protocol)}`,
  usage: ({ turn }) => usageSentence(fieldsOf(turn)),
  retrieval: ({ searched, passages, leftOut }) =>
    `${counted(listOf(searched).length, "search", "searches")}, ${counted(listOf(passages).length, "passage")} kept, ${listOf(leftOut).length} left out`,
};

function decisionSentence({ kind, actions, why, stopReason }: Fields): string {
  if (kind === "action") return `call ${listed(fewOf(listOf(actions).map((action) => short(fieldsOf(action).tool))))}`;
  if (kind === "finish") return `the answer (${short(stopReason)})`;
  return kind === "unparseable" ? `the reply is not followed: ${short(why)}` : "";
}

function usageSentence({ modelCalls, toolCalls, inputTokens, outputTokens }: Fields): string {
  const [asked = 0, called = 0, read = 0, written = 0] = [modelCalls, toolCalls, inputTokens, outputTokens].map(Number);
  return `${counted(asked, "model call")}, ${counted(called, "tool call")}, ${count(read)} tokens in, ${count(written)} out in this turn`;
}

function short(value: unknown): string {
  const text = String(value).replace(/\s+/g, " ");
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

/** The first of many names, and how many there are beside them. */
function fewOf(names: readonly string[]): readonly string[] {
  return names.length > 6 ? [...names.slice(0, 5), `${count(names.length - 5)} more`] : names;
}

function fieldsOf(value: unknown): Fields {
  return Object.fromEntries(typeof value === "object" && value !== null ? Object.entries(value) : []);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
