import { isDeepStrictEqual } from "node:util";
import { AIMessage, ToolMessage } from "@langchain/core/messages";
import { standsIn } from "../base/stands-in.js";
import { messageText } from "../content/content.js";
import { unfenced } from "../content/marks.js";
import type { Plugin, Said } from "../core/parts/plugin.js";
import type { FencedProtocol } from "../core/parts/protocol.js";
import type { ParsedAction } from "../core/state/decision.js";
import { marksShown } from "../core/state/mark.js";
import type { AgentStateValues } from "../core/state/state.js";
import { providerSteps } from "../provider-forms/provider-steps.js";

/**
 * Refuses a reply with a call that only repeats a text from outside. If a person can be asked about the call, it is marked instead, and
 * they decide.
 */
export const copiedCalls: Plugin = {
  name: "copied-calls",
  read: (said, { state, protocol, canAsk }) => {
    if (said.kind !== "action") return said;
    const copies = copiesIn(said.actions, state, marksShown(state));
    if (copies.size === 0) return said;
    if ([...copies].some(({ tool }) => !canAsk(tool))) return refused(protocol);
    const marked = said.actions.map((action) => (copies.has(action) ? { ...action, copied: true as const } : action));
    return { ...said, actions: marked };
  },
};

/** Refuses a reply. None of its calls is made. */
function refused({ nativeTools }: FencedProtocol): Said {
  const way = nativeTools ? "call the tool natively" : "write it in the form below";
  const why = `It repeats a call that stands in a text, word for word, so no call was made. To make one, ${way}, with the arguments that the question needs. To report that text, give the final answer in words of your own.`;
  return { kind: "unparseable", why };
}

/** The channels of the state that hold texts from outside. */
type Known = Pick<AgentStateValues, "messages" | "intermediateSteps" | "reply" | "sources">;

/**
 * Finds the calls that only repeat a text from outside, word for word: a result of a tool or a passage of the thread. A model
 * that quotes such a text does not mean to call. Words of people and the model's own calls are not text from outside, and a
 * native call is never a copy. A call that the model already made in this turn is its own, although a result may quote it.
 *
 * @param marks The marks that the model was shown. The model may repeat marks or leave them out.
 */
export function copiesIn(
  actions: readonly ParsedAction[],
  state: Known,
  marks: readonly string[],
): ReadonlySet<ParsedAction> {
  const made = state.intermediateSteps
    .flatMap(({ results }) => results.map(({ action }) => action))
    .filter(({ copied }) => !copied);
  const written = actions.flatMap((action) => {
    const isOwn = made.some(
      ({ tool, toolInput }) => tool === action.tool && isDeepStrictEqual(toolInput, action.toolInput),
    );
    if (isOwn) return [];
    const words = squeezed(action.written ?? "", marks);
    return words === "" ? [] : [{ action, words }];
  });
  if (written.length === 0) return new Set();
  // A call does not go beyond the end of a text: no line end is left in its words.
  const outside = [...textsFromOutside(state)].map((text) => squeezed(text, marks)).join("\n");
  return new Set(written.filter(({ words }) => standsIn(words, outside)).map(({ action }) => action));
}

/** Returns the text from outside in a thread, of all turns, because an answer of an earlier turn may repeat such a text. */
function textsFromOutside({ messages, intermediateSteps, reply, sources }: Known): Set<string> {
  const byProvider = [
    ...messages.filter(AIMessage.isInstance).flatMap((message) => providerSteps(message, "")),
    ...[...intermediateSteps.map((step) => step.reply), reply].flatMap((made) => made?.byProvider ?? []),
  ];
  return new Set([
    ...messages.filter(ToolMessage.isInstance).map(messageText),
    ...intermediateSteps.flatMap(({ results }) => results.map(({ observation }) => observation)),
    ...byProvider.flatMap((step) => (step.type === "observation" ? [step.text] : [])),
    ...sources.map(({ passage = "" }) => passage),
  ]);
}

/** What JSON writes for a character, however often it was put into a string. */
const escaped = /\\+(?:u([\dA-Fa-f]{4})|[nrt])?/g;
/**
 * Ignored in comparisons: white space, invisible characters, the token that MiniMax writes before each of its signs, and a
 * name space that parsers add.
 */
const skipped = /[\s\\\p{Cc}\p{Default_Ignorable_Code_Point}]+|\]<\]minimax\[>\[|(?<=\bto=)functions\./gu;

/** Normalizes a text: the result is the same for the plain text and inside a JSON string, on one line or on several. */
function squeezed(text: string, marks: readonly string[]): string {
  return unfenced(text, marks)
    .replaceAll(escaped, (_, code?: string) => (code ? String.fromCharCode(Number.parseInt(code, 16)) : ""))
    .replaceAll(skipped, "");
}
