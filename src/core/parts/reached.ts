import type { StopReason } from "../state/decision.js";

/** What ends a turn before the model does. `why` says it in a part of a sentence: "the turn took 15 steps". */
export interface Reached {
  readonly stopReason: StopReason;
  readonly why: string;
  /** True if the model is not asked for a last reply. */
  readonly isFinal?: boolean;
}

/** The first words of the sentence of a turn that ends without an answer of the model. */
export const noAnswer = "I stopped without an answer: ";

/** Returns the answer of a turn that ends without an answer of the model. */
export function limitSentence(why: string): string {
  return `${noAnswer}${why}.`;
}

/** Tells whether an answer is the sentence about what ended its turn. */
export function isLimitSentence(answer: string, why: string | undefined): boolean {
  return why !== undefined && answer === limitSentence(why);
}
