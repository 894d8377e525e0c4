import type { CallGroup } from "./form-calls.js";

/** The problem of signs around calls in which none can be read. */
export const unreadable = "Its tool call cannot be read.";

/** The problem of a call that stands in words like an example. */
export const mayBeExample =
  "It has a call in the middle of other words, and it is not clear whether the call is meant. It was not made. To make it, write the call with nothing after it.";

/** Tells whether words stand after calls. A fence, brackets and quotes are none. */
export function wordsAfter(text: string, { end }: Pick<CallGroup, "end">): boolean {
  return /[\p{L}\p{N}]/u.test(text.slice(end).replace(/^[\s`]*```\w*/, ""));
}

/**
 * Tells whether calls without the signs of a form only stand in the words of an answer: more words follow, or the words before
 * them say that they are an example.
 */
export function isMention(text: string, found: Pick<CallGroup, "start" | "end">): boolean {
  return wordsAfter(text, found) || isExample(text.slice(Math.max(0, found.start - 300), found.start));
}

/** The words of an example or a warning, right before a call. */
const exampleWords = /$^/;

function isExample(before: string): boolean {
  const [sentence = ""] = /[^.!?。！？\n][^\n]*\s*(?:```\w*\s*)?`?$/u.exec(before.trimEnd()) ?? [];
  return exampleWords.test(sentence);
}
