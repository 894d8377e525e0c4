/** Ends a sentence with a full stop, if it has no mark at its end yet. */
export function endWithStop(sentence: string): string {
  const text = sentence.trimEnd();
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
