import type { Node } from "../../agent/nodes/told.js";
import type { AgentStateUpdate } from "../../turn/state.js";
import type { RetrievalDependencies } from "../dependencies.js";
import { draftPrompt } from "../prompts/draft.js";
import { spoken } from "../prompts/prompt-parts.js";
import { ask } from "./ask.js";
import { retrievalOf, wholePassages } from "./read-state.js";

/** Makes the node that makes a draft better with the next passage. It runs once for each passage but the last. */
export function refine(parts: RetrievalDependencies): Node<AgentStateUpdate> {
  return async (state, config) => {
    const retrieval = retrievalOf(state);
    const { refined, draft } = retrieval;
    const passage = wholePassages(state)[refined];
    if (passage === undefined) return {};
    const messages = draftPrompt(state.question, passage, draft, state.turn.mark);
    const reply = await ask("draft", parts, state, messages, config);
    return { retrieval: { ...retrieval, refined: refined + 1, draft: spoken(reply ?? "") || draft } };
  };
}
