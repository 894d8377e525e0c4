import type { Citation } from "../../core/state/citation.js";

/**
 * Tells what is wrong with the citations of an answer: it cites a passage that is not there, or nothing. Returns an empty text if
 * nothing is wrong. The last answer may cite nothing: so does an answer that says that the passages do not tell.
 */
export function citationComplaint(citations: readonly Citation[], isLast: boolean): string {
  const missing = citations.flatMap(({ number, source }) => (source === null ? `[${number}]` : []));
  if (missing.length > 0) return `no passage has the number ${[...new Set(missing)].join(", ")}`;
  return citations.length > 0 || isLast ? "" : "it cites no passage by its number, such as [1]";
}
