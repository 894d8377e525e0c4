import type { Node } from "../../agent/nodes/told.js";
import type { AgentStateUpdate, AgentStateValues } from "../../turn/state.js";
import type { RetrievalDependencies } from "../dependencies.js";
import { nextQueryPrompt, readNextQuery, readQuery, rewritingPrompt } from "../prompts/rewrite.js";
import { ask } from "./ask.js";
import { retrievalOf, wholePassages } from "./read-state.js";

/**
 * Makes the node that looks for another query after a search without help. When no rewrites are left, the fallback is
 * asked with the question itself. Without queries the turn ends.
 */
export function rewrite(parts: RetrievalDependencies): Node<AgentStateUpdate> {
  const { rewrites: most = 0, fallback } = parts.grading ?? {};
  return async (state, config) => {
    const retrieval = retrievalOf(state);
    const made = queriesOf(state);
    const { rewrites, usedFallback } = retrieval;
    const prompt = () => rewritingPrompt(state.question, made, state.turn.mark);
    const reply = rewrites < most && !usedFallback ? await ask("rewriting", parts, state, prompt(), config) : undefined;
    const query = reply === undefined ? undefined : readQuery(reply, made);
    if (query !== undefined) return { retrieval: { ...retrieval, queries: [query], rewrites: rewrites + 1 } };
    const canFallBack = fallback !== undefined && !usedFallback;
    return { retrieval: { ...retrieval, queries: canFallBack ? [state.question] : [], usedFallback: true } };
  };
}

/** Makes the node that looks whether something is missing in the passages, and for the query that finds it. */
export function nextQuery(parts: RetrievalDependencies): Node<AgentStateUpdate> {
  return async (state, config) => {
    const made = queriesOf(state);
    const messages = nextQueryPrompt(state.question, made, wholePassages(state), state.turn.mark);
    const reply = await ask("next-query", parts, state, messages, config);
    const query = reply === undefined ? undefined : readNextQuery(reply, made);
    return { retrieval: { ...retrievalOf(state), queries: query === undefined ? [] : [query] } };
  };
}

function queriesOf(state: AgentStateValues): string[] {
  return [...new Set(retrievalOf(state).searched.map(({ query }) => query))];
}
