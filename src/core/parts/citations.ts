import type { ActionResult } from "../state/decision.js";
import type { CitedSource, Source } from "../state/source.js";

/**
 * A citation that is wrong:
 *
 * - `no-source`: the `numbers` have no source. They were taken out.
 * - `misquoted`: the quoted words stand in none of the sources `numbers` beside them. They were marked. `foundIn` is the
 *   number of the source in which they stand, if there is one.
 */
export type CitationProblem =
  | { readonly problem: "no-source"; readonly numbers: readonly number[] }
  | {
      readonly problem: "misquoted";
      readonly quote: string;
      readonly numbers: readonly number[];
      readonly foundIn?: number;
    };

/** Checks the citations of a text while it arrives. The pieces that it returns, put together, are the checked text. */
export interface CitationCheck {
  /** Takes the next piece. Returns what is certain. */
  push(piece: string): string;
  /** Returns the rest, when the text has ended. */
  end(): string;
  /** The problems so far. */
  readonly problems: readonly CitationProblem[];
}

/** What a tool call brought that may name sources. */
export type Found = Pick<ActionResult, "observation" | "artifact">;

/** The sources that tools name, and the citations of them. */
export interface Citations {
  /** Tells whether a result names sources. */
  namesSources(result: Found): boolean;
  /** Adds the sources that results name to those of the turn. The observations then show the numbers in that list. */
  numberSources<Result extends Found>(
    known: readonly Source[],
    results: readonly Result[],
  ): { readonly sources: readonly Source[]; readonly results: readonly Result[] };
  /** Begins to check a text. */
  check(sources: readonly Source[]): CitationCheck;
  /** Returns the sources that an answer cites, in the order in which it does. */
  citedSources(answer: string, sources: readonly Source[]): CitedSource[];
}
