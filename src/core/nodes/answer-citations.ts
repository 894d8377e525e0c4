import { CitationReader } from "../../citations/citation-reader.js";
import type { AgentStateValues } from "../state/state.js";
import type { AgentDependencies } from "./dependencies.js";

/**
 * Returns a reader that checks the citations of what a model says in a turn. Returns undefined if there is nothing to check:
 * the tools of the turn named no sources, or the answers are data.
 */
export function citationReader(
  { output }: Pick<AgentDependencies, "output">,
  { sources }: Pick<AgentStateValues, "sources">,
): CitationReader | undefined {
  return sources.length > 0 && output === undefined ? new CitationReader(sources) : undefined;
}

/** Returns a whole text with its citations checked, and the problems in it. */
export function withCheckedCitations(
  agent: Pick<AgentDependencies, "output">,
  state: Pick<AgentStateValues, "sources">,
  text: string,
): Pick<CitationReader, "problems"> & { readonly text: string } {
  const reader = citationReader(agent, state);
  return reader ? { text: reader.push(text) + reader.end(), problems: reader.problems } : { text, problems: [] };
}
