import { escaped } from "../../../base/escaped.js";

/**
 * The first and the last line of every correction. A model may repeat a correction: its example must not count as a
 * call.
 */
export const correctionStart = "[Your reply could not be used]";
const correctionEnd = "[Write your reply now]";

/** Puts the frame of a correction around its lines. */
export function framed(...lines: readonly string[]): string {
  return [correctionStart, ...lines, correctionEnd].join("\n");
}

const repeated = new RegExp(`${escaped(correctionStart)}[\\s\\S]*?(?:${escaped(correctionEnd)}|$)`, "g");

/** Removes the corrections that a reply repeats. */
export function withoutEchoedCorrection(text: string): string {
  return text.replaceAll(repeated, "");
}
