import type { CitationProblem, Citations } from "../core/parts/answers.js";
import type { CitedSource, Source } from "../core/state/source.js";
import { CitationReader } from "./citation-reader.js";
import { namesSources, numberSources } from "./numbered-sources.js";

/** An answer whose citations were checked. */
export interface CheckedAnswer {
  /** The answer. Citations without a source are taken out, and wrong quotes are marked. */
  readonly text: string;
  /** The numbers of the sources that it cites, in the order in which they first stand. */
  readonly cited: readonly number[];
  readonly problems: readonly CitationProblem[];
}

/**
 * Checks the citations of an answer without a model. Citations are numbers of sources in brackets: `[2]`, `[1, 3]`, `[1-3]`.
 *
 * A number without a source is taken out. A quote of four or more words beside a citation must stand, in this order, in
 * one of its sources. White space, case, punctuation, Markdown and an ellipsis do not count. A quote that does not is
 * marked: `"…" [2] (not in source 2)`. Code, formulas, links and `a[1]` stay as they are. A quote of more than 2,000
 * characters is not checked. Nor is one beside a source whose passage is not known as a whole.
 *
 * The time is linear in the length of the answer.
 *
 * @param answer The answer, as text or Markdown.
 * @param sources The sources. The first has the number 1.
 * @example
 * checkCitations("Cats sleep all day [1][3].", [{ title: "Cats", address: "cats.md", passage: "Cats sleep for most of the day." }]);
 * // { text: "Cats sleep all day [1].", cited: [1], problems: [{ problem: "no-source", numbers: [3] }] }
 */
export function checkCitations(answer: string, sources: readonly Source[]): CheckedAnswer {
  const reader = new CitationReader(sources);
  const text = reader.push(answer) + reader.end();
  return { text, cited: reader.cited, problems: reader.problems };
}

/** Returns the sources that an answer cites, in the order in which it does. */
function citedSources(answer: string, sources: readonly Source[]): CitedSource[] {
  if (sources.length === 0) return [];
  return checkCitations(answer, sources).cited.flatMap((number) => {
    const source = sources[number - 1];
    return source === undefined ? [] : [{ number, ...placeOf(source) }];
  });
}

/** Returns the place of a source, without its text. */
function placeOf({ title, address, heading }: Source): Omit<CitedSource, "number"> {
  return { title, address, ...(heading !== undefined && { heading }) };
}

/** The sources and the citations, as an agent needs them. */
export const citations: Citations = {
  namesSources,
  numberSources,
  check: (sources) => new CitationReader(sources),
  citedSources,
};
