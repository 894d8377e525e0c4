import type { Citation } from "../state/citation.js";
import type { Source } from "../state/source.js";

/** What an agent does with its answers. */
export interface Answers {
  /** The name on the agent's messages. Left out if the user gave it none. */
  readonly name?: string;
  readonly citations: Citations;
  /**
   * True if an answer is checked before its turn ends, and the model may be asked for another one. The answer then goes to
   * `messages` as a whole.
   */
  readonly areChecked?: boolean;
}

/** The citations in answers. */
export interface Citations {
  /** Writes other numbers into the citations of an answer: `[2]` gets the second one. */
  renumber(answer: string, numbers: readonly number[]): string;
  /** Reports the citations of an answer. The answer may also quote what the user said. */
  check(answer: string, sources: readonly Source[], said: string): Citation[];
}
