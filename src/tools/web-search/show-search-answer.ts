import { inOneLine, shorten } from "../../base/shorten.js";
import type { Source } from "../../turn/source.js";
import type { SearchAnswer, SearchResult } from "./engines/search-engine.js";

const longestSnippet = 600;

/** Writes a reply as text for a model. A direct answer comes first, and then the results with title and address. */
export function showSearchAnswer({ answer, results }: SearchAnswer, engine: string, query: string): string {
  const direct = answer
    ? [
        `${shorten(inOneLine(answer.text), longestSnippet)}${answer.source && isOnTheWeb(answer.source) ? ` (${answer.source.address})` : ""}`,
      ]
    : [];
  const paragraphs = [...direct, ...results.map(showResult)];
  if (paragraphs.length > 0) return paragraphs.join("\n\n");
  return `${engine} found nothing for ${JSON.stringify(query)}. Search with other words.`;
}

/** Tells whether a source can be shown as a link. A reply might have an address that runs something, or has no end. */
export function isOnTheWeb({ address }: Source): boolean {
  return /^https?:\/\/\S{1,2000}$/i.test(address);
}

/** Returns the sources of a reply in the order of their numbers. That of the direct answer has no number, and is the last. */
export function sourcesOf({ answer, results }: SearchAnswer): readonly Source[] {
  const found = results.map(({ snippet, ...source }) => ({ ...source, ...(snippet && { passage: snippet }) }));
  return [...found, ...(answer?.source ? [{ ...answer.source, passage: answer.text }] : [])].filter(isOnTheWeb);
}

function showResult({ title, address, snippet }: SearchResult, position: number): string {
  return `[${position + 1}] ${shorten(inOneLine(title), longestSnippet)} (${address})\n${shorten(inOneLine(snippet), longestSnippet)}`.trimEnd();
}
