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

/** Removes the corrections that a reply repeats. */
export function withoutEchoedCorrection(text: string): string {
  let rest = text;
  let kept = "";
  for (let start = rest.indexOf(correctionStart); start >= 0; start = rest.indexOf(correctionStart)) {
    const end = rest.indexOf(correctionEnd, start);
    kept += rest.slice(0, start);
    rest = end < 0 ? "" : rest.slice(end + correctionEnd.length);
  }
  return kept + rest;
}
