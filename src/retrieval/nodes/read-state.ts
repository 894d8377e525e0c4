import { shownPassages } from "../../core/nodes/planning/prompt-view.js";
import type { Passage } from "../../core/parts/protocol.js";
import { noRetrieval, type Retrieval } from "../../core/state/retrieval.js";
import type { AgentStateValues } from "../../core/state/state.js";

export function retrievalOf({ retrieval }: Pick<AgentStateValues, "retrieval">): Retrieval {
  return retrieval ?? noRetrieval;
}

/** Returns all passages with their whole text. */
export function wholePassages({ sources, retrieval }: AgentStateValues): readonly Passage[] {
  return (
    shownPassages({ sources, retrieval: { ...retrievalOf({ retrieval }), notes: null, draft: "" } }).passages ?? []
  );
}
