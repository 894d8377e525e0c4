import type { Answers, CitationCheck } from "../parts/answers.js";
import type { AgentStateValues } from "../state/state.js";

/**
 * Begins to check the citations of what a model says in a turn. Returns undefined if there is nothing to check: the tools of
 * the turn named no sources, or the answers are data.
 */
export function citationCheck(
  { output, citations }: Answers,
  { sources }: Pick<AgentStateValues, "sources">,
): CitationCheck | undefined {
  return sources.length > 0 && output === undefined ? citations.check(sources) : undefined;
}

/** Returns a whole text with its citations checked, and the problems in it. */
export function withCheckedCitations(
  answers: Answers,
  state: Pick<AgentStateValues, "sources">,
  text: string,
): Pick<CitationCheck, "problems"> & { readonly text: string } {
  const check = citationCheck(answers, state);
  return check ? { text: check.push(text) + check.end(), problems: check.problems } : { text, problems: [] };
}
