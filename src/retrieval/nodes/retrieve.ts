import { turnSoFar } from "../../agent/limits/limit.js";
import { timeLeft } from "../../agent/limits/on-calls.js";
import type { Node } from "../../agent/nodes/told.js";
import type { AgentStateUpdate } from "../../turn/state.js";
import { tell } from "../../turn/teller.js";
import type { RetrievalDependencies } from "../dependencies.js";
import { withinBudget } from "../searching/passage-budget.js";
import { placeOf, searchAll } from "../searching/search-all.js";
import { retrievalOf } from "./read-state.js";

/** Makes the node that searches. Its passages join those that are there. */
export function retrieve(parts: RetrievalDependencies): Node<AgentStateUpdate> {
  const {
    agent,
    retrievers,
    grading,
    minScore,
    maxPassages,
    passageTokens: maxTokens,
    combine,
    searchTimeoutMs,
  } = parts;
  return async (state, config) => {
    const retrieval = retrievalOf(state);
    const { queries, usedFallback } = retrieval;
    const chosen =
      usedFallback && grading?.fallback
        ? [grading.fallback]
        : retrievers.filter(({ name }) => retrieval.retrievers.includes(name));
    const left = timeLeft(agent.turnLimits, turnSoFar(state, config), { isLast: false });
    const timeoutMs = Math.ceil(Math.max(1, Math.min(left, searchTimeoutMs)));
    const { passages, searched } = await searchAll({ retrievers: chosen, queries, minScore, timeoutMs }, config);
    for (const one of searched) tell(config, { type: "search", ...one });
    const known = new Set(state.sources.map(placeOf));
    const found = withinBudget(passages, { maxPassages, maxTokens, isJoined: combine === "stuff" });
    const sources = [...state.sources, ...found.filter((source) => !known.has(placeOf(source)))];
    const budget = { maxPassages: sources.length, maxTokens, isJoined: combine === "stuff" };
    return {
      sources: withinBudget(sources, budget),
      retrieval: { ...retrieval, rounds: retrieval.rounds + 1, searched: [...retrieval.searched, ...searched] },
    };
  };
}
