import { turnSoFar } from "../../core/limits/limit.js";
import { timeLeft } from "../../core/limits/on-calls.js";
import { estimateTokens } from "../../core/model/token-estimate.js";
import type { Node } from "../../core/nodes/run-node.js";
import { runOf, usageOf } from "../../core/run/run.js";
import type { Source } from "../../core/state/source.js";
import type { AgentStateUpdate } from "../../core/state/state.js";
import type { RetrievalDependencies } from "../dependencies.js";
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
    const left = timeLeft(agent.turnLimits, turnSoFar(state, usageOf(config)), { isLast: false });
    const timeoutMs = Math.ceil(Math.max(1, Math.min(left, searchTimeoutMs)));
    const { passages, searched } = await searchAll({ retrievers: chosen, queries, minScore, timeoutMs }, config);
    for (const one of searched) runOf(config).emit({ type: "search", ...one });
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

/** How much of what was found an answer is made of. */
interface PassageBudget {
  readonly maxPassages: number;
  /** The most tokens in one prompt. */
  readonly maxTokens: number;
  /** True if one prompt shows all passages. Otherwise each prompt shows one. */
  readonly isJoined: boolean;
}

/** Returns the passages that fit, the best first. One that is too long alone is cut. */
function withinBudget(passages: readonly Source[], { maxPassages, maxTokens, isJoined }: PassageBudget): Source[] {
  let left = maxTokens;
  const kept: Source[] = [];
  for (const source of passages) {
    if (kept.length === maxPassages) break;
    const passage = cutTo(source.passage ?? "", maxTokens);
    const tokens = estimateTokens(passage);
    if (isJoined && tokens > left && kept.length > 0) continue;
    left -= tokens;
    kept.push({ ...source, passage });
  }
  return kept;
}

/** Cuts a text to a number of tokens. It ends at a space if there is one near. */
function cutTo(text: string, maxTokens: number): string {
  if (estimateTokens(text) <= maxTokens) return text;
  const bytes = Buffer.from(text).subarray(0, maxTokens * 4 - 4);
  const whole = new TextDecoder().decode(bytes).replace(/\uFFFD+$/, "");
  const space = whole.lastIndexOf(" ");
  return `${space > whole.length - 100 ? whole.slice(0, space) : whole}…`;
}
