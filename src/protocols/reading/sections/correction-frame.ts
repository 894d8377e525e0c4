/** The first words of every correction, and its last: a model that repeats one is not taken at its example's word. */
export const correctionStart = "[Your reply could not be used]";
export const correctionEnd = "[Write your reply now]";

/** A reply without the corrections it repeats. */
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
