import type { Citations } from "../core/parts/answers.js";
import type { Citation, CitedQuote } from "../core/state/citation.js";
import type { Source } from "../core/state/source.js";
import { type Mark, sentencesOf } from "./citation-places.js";
import { namesSources, numberSources } from "./numbered-sources.js";
import { QuotedSources, quotedParts } from "./quoted-words.js";

/** A citation to which its quotes are added. */
interface OpenCitation extends Citation {
  readonly quotes: CitedQuote[];
}

/** Citations beside one another, and the quote directly before them. */
interface Group {
  readonly citations: OpenCitation[];
  end: number;
  readonly quote: OpenQuote | undefined;
}

/** A quote: the citations in it, and the number of groups before it in its sentence. */
interface OpenQuote extends Mark {
  readonly inside: OpenCitation[];
  readonly groupsBefore: number;
}

const joint = /^[\s,;]*(?:(?:and|or|und|et|y|e|&)\s*)?$/;
/** What may stand between a quote and its citation. */
const besideQuote = /^[\s.,;:!?…)*_。、，！？]*$/;

/**
 * Checks the citations of an answer without a model, and reports them. Citations are numbers of sources in brackets: `[2]`,
 * `[1, 3]`, `[1-3]`. They may be something else, too, such as `Step [3]`: nobody can tell that from a number alone.
 *
 * Quoted words beside a citation, four or more, must stand in one of its sources, in their order. White space, case, punctuation,
 * Markdown and an ellipsis do not count. Code, formulas, links and `a[1]` are not looked at. Nor are quotes of more than
 * 2,000 characters, and those beside a source whose passage is not known as a whole.
 *
 * The time is linear in the length of the answer.
 *
 * @param answer The answer, as text or Markdown.
 * @param sources The sources. The first has the number 1.
 * @returns The citations, in the order in which they stand in the answer.
 * @example
 * checkCitations("Cats sleep all day [1][3].", [{ title: "Cats", address: "cats.md", passage: "Cats sleep for most of the day." }]);
 * // [{ number: 1, start: 19, end: 22, source: 0, quotes: [] }, { number: 3, start: 22, end: 25, source: null, quotes: [] }]
 */
export function checkCitations(answer: string, sources: readonly Source[]): Citation[] {
  const quoted = new QuotedSources(sources);
  return sentencesOf(answer).flatMap((marks) => {
    const { citations, quotes, groups } = joined(answer, marks, sources.length);
    for (const quote of quotes) {
      const beside = citationsBeside(quote, groups);
      const checked = checkQuote(answer, quote, beside, quoted);
      if (checked) for (const citation of beside) citation.quotes.push(checked);
    }
    return citations;
  });
}

/** Joins the citations of a sentence that stand beside one another, and those in a quote. */
function joined(answer: string, marks: readonly Mark[], sources: number) {
  const all: OpenCitation[] = [];
  const quotes: OpenQuote[] = [];
  const groups: Group[] = [];
  for (const { start, end, numbers } of marks) {
    const [quote, group] = [quotes.at(-1), groups.at(-1)];
    if (numbers === undefined) {
      quotes.push({ start, end, inside: [], groupsBefore: groups.length });
      continue;
    }
    const citations = numbers.map((number): OpenCitation => {
      return { number, start, end, source: number <= sources ? number - 1 : null, quotes: [] };
    });
    all.push(...citations);
    const isAfterQuote = quote !== undefined && quote.groupsBefore === groups.length;
    if (quote && start < quote.end) quote.inside.push(...citations);
    else if (group && !isAfterQuote && joint.test(answer.slice(group.end, start))) {
      group.citations.push(...citations);
      group.end = end;
    } else {
      const isDirect = isAfterQuote && besideQuote.test(answer.slice(quote.end, start));
      groups.push({ citations, end, quote: isDirect ? quote : undefined });
    }
  }
  return { citations: all, quotes, groups };
}

/** Returns the citations beside a quote: those after it, and those before it unless one of them has its own quote. */
function citationsBeside(quote: OpenQuote, groups: readonly Group[]): OpenCitation[] {
  const [before, after] = [groups[quote.groupsBefore - 1], groups[quote.groupsBefore]];
  const isAlone = after !== undefined && (after.quote === quote || before?.quote !== undefined);
  return [...(after?.citations ?? []), ...(isAlone ? [] : (before?.citations ?? [])), ...quote.inside];
}

function checkQuote(
  answer: string,
  { start, end }: Mark,
  citations: readonly Citation[],
  sources: QuotedSources,
): CitedQuote | undefined {
  const parts = citations.length === 0 ? undefined : quotedParts(answer.slice(start + 1, end - 1));
  if (parts === undefined) return undefined;
  const cited = citations.flatMap(({ source }) => source ?? []);
  const right = cited.find((at) => sources.has(at, parts));
  if (right === undefined && cited.some((at) => sources.isPartial(at))) return undefined;
  return { start, end, isFound: right !== undefined, foundIn: right ?? sources.find(parts) ?? null };
}

/** The sources and the citations, as an agent needs them. */
export const citations: Citations = { namesSources, numberSources, check: checkCitations };
