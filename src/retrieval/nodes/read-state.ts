import type { Passage } from "../../core/parts/protocol.js";
import { noRetrieval, type Retrieval } from "../../core/state/retrieval.js";
import { placeOf, type Source } from "../../core/state/source.js";
import type { AgentStateValues } from "../../core/state/state.js";
import { shownPassages } from "../../prompts/prompt-view.js";

/** The part of the state that tells what was found. */
type Found = Pick<AgentStateValues, "retrieval" | "sources">;

export function retrievalOf({ retrieval }: Pick<AgentStateValues, "retrieval">): Retrieval {
  return retrieval ?? noRetrieval;
}

/** Returns the passages of the turn. */
export function foundSources(state: Found): Source[] {
  return retrievalOf(state).passages.flatMap((at) => state.sources[at] ?? []);
}

/** Returns an update with the passages of the turn. One that an earlier turn has found keeps its number. */
export function withFound(state: Found, found: readonly Source[], changes: Partial<Retrieval>): Found {
  const retrieval = retrievalOf(state);
  const all = state.sources.slice(0, retrieval.earlier);
  const places = all.map(placeOf);
  const passages = found.map((source) => {
    const at = places.indexOf(placeOf(source));
    return at < 0 ? all.push(source) - 1 : at;
  });
  return { sources: all, retrieval: { ...retrieval, ...changes, passages } };
}

/** Returns all passages with their whole text. */
export function wholePassages(state: Found): readonly Passage[] {
  const retrieval = { ...retrievalOf(state), notes: null, draft: "" };
  return shownPassages({ sources: state.sources, retrieval }).passages ?? [];
}
