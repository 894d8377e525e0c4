import { shownPassages } from "../../core/nodes/planning/prompt-view.js";
import type { Passage } from "../../core/parts/protocol.js";
import { noRetrieval, type Retrieval } from "../../core/state/retrieval.js";
import { placeOf, type Source } from "../../core/state/source.js";
import type { AgentStateValues } from "../../core/state/state.js";

export function retrievalOf({ retrieval }: Pick<AgentStateValues, "retrieval">): Retrieval {
  return retrieval ?? noRetrieval;
}

/** Returns the passages of the turn. */
export function foundSources({ retrieval, sources }: Pick<AgentStateValues, "retrieval" | "sources">): Source[] {
  return retrievalOf({ retrieval }).passages.flatMap((at) => sources[at] ?? []);
}

/** Returns an update with the passages of the turn. One that an earlier turn has found keeps its number. */
export function withFound(
  { retrieval, sources }: Pick<AgentStateValues, "retrieval" | "sources">,
  found: readonly Source[],
  changes: Partial<Retrieval> = {},
): { readonly sources: Source[]; readonly retrieval: Retrieval } {
  const all = sources.slice(0, retrievalOf({ retrieval }).earlier);
  const places = all.map(placeOf);
  const passages = found.map((source) => {
    const at = places.indexOf(placeOf(source));
    return at < 0 ? all.push(source) - 1 : at;
  });
  return { sources: all, retrieval: { ...retrievalOf({ retrieval }), ...changes, passages } };
}

/** Returns all passages with their whole text. */
export function wholePassages({ sources, retrieval }: AgentStateValues): readonly Passage[] {
  return (
    shownPassages({ sources, retrieval: { ...retrievalOf({ retrieval }), notes: null, draft: "" } }).passages ?? []
  );
}
