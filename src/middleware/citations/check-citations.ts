import type { Citation, CitedQuote, Source } from "../../core/state/source.js";
import { citationsIn } from "./citation-places.js";
import { type QuotePlace, quotePlaces } from "./quote-places.js";
import { quoteChecker } from "./quoted-words.js";

type OpenCitation = Citation & { readonly quotes: CitedQuote[] };
/** A quote, and the citations before and after it in its sentence. */
type OpenQuote = QuotePlace & { readonly before: OpenCitation[]; readonly after: OpenCitation[]; isDirect: boolean };

/** What may stand between the citations of one statement, and between a quote and its citation. */
const joint = /^[\s,;、，；]*(?:(?:and|or|und|et|y|e|&|和|与|と|や)\s*)?$/;
const besideQuote = /^[\s.,;:!?…)*_。、，！？—–-]*$/;

/**
 * Checks the citations of an answer without a model, and reports them. Citations are numbers of sources in brackets, such as
 * `[2]`, `[1, 3]`, `[1-3]`, `[^1]`, `【1】` and `[Source 1]`. `docs/retrieval.md` has the rules.
 *
 * Quoted words beside a citation, four or more, must stand in one of its sources, in their order. White space, case, punctuation,
 * Markdown and an ellipsis do not count. Words of the user, titles and words in another language are not looked at. Nor are
 * quotes of more than 2,000 characters, and those beside a source whose passage is not known as a whole.
 *
 * The time is linear in the length of the answer.
 *
 * @param answer The answer, as text or Markdown.
 * @param sources The sources. The first has the number 1.
 * @param said The words of the user, which the answer may quote.
 * @param leftOut Sources that were found and not used. A quote of them is judged: no cited source has it.
 * @returns The citations, in the order in which they stand in the answer.
 * @example
 * checkCitations("Cats sleep all day [1][3].", [{ title: "Cats", address: "cats.md", passage: "Cats sleep for most of the day." }]);
 * // [{ number: 1, start: 19, end: 22, source: 0, quotes: [] }, { number: 3, start: 22, end: 25, source: null, quotes: [] }]
 */
export function checkCitations(
  answer: string,
  sources: readonly Source[],
  said = "",
  leftOut: readonly Source[] = [],
): Citation[] {
  const { citations, words } = citationsIn(answer, sources.length);
  if (citations.length === 0) return [];
  const all: OpenCitation[] = [];
  const quotes: OpenQuote[] = [];
  // Of the sentence so far: its last quote, and the citations since then.
  let quote: OpenQuote | undefined;
  let since: OpenCitation[] = [];
  for (const place of [...citations, ...quotePlaces(words)].sort((one, other) => one.start - other.start)) {
    const { start, end } = place;
    if ("numbers" in place) {
      const own = place.numbers.map((number): OpenCitation => {
        return { number, start, end, source: number <= sources.length ? number - 1 : null, quotes: [] };
      });
      all.push(...own);
      const gap = words.slice(since.at(-1)?.end ?? quote?.end ?? start, start);
      if (quote && since.length === 0) quote.isDirect = besideQuote.test(gap);
      const isJoined = since.length === 0 || (since.at(-1) === quote?.after.at(-1) && joint.test(gap));
      if (quote && (!quote.isDirect || isJoined)) quote.after.push(...own);
      since.push(...own);
    } else if (place.kind === "end") {
      [quote, since] = [undefined, []];
    } else {
      // Quotes one after another have the same citations.
      const { before, after } = quote && since.length === 0 ? quote : { before: since, after: [] };
      quote = { ...place, before, after, isDirect: false };
      quotes.push(quote);
      since = [];
    }
  }
  if (quotes.length === 0) return all;
  const checkQuote = quoteChecker(sources, said, leftOut);
  for (const { start, end, kind, before, after, isDirect } of quotes) {
    const beside = isDirect ? after : [...after, ...before];
    const checked = beside.length > 0 && checkQuote(answer.slice(start, end), beside, kind === "block");
    if (checked) for (const { quotes } of beside) quotes.push({ start, end, ...checked });
  }
  return all;
}

/** Writes other numbers into the citations of an answer: `[2]` gets the second one. */
export function renumber(answer: string, numbers: readonly number[]): string {
  const { citations } = citationsIn(answer, numbers.length);
  return citations.reduceRight((text, { start, end, numbers: cited }) => {
    const own = cited.map((number) => numbers[number - 1]);
    return own.includes(undefined) ? text : `${text.slice(0, start)}[${own.join(", ")}]${text.slice(end)}`;
  }, answer);
}
