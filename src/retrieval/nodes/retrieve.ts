import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { RetrieverError } from "../../base/errors.js";
import { messageOf } from "../../base/message-of.js";
import { withoutSecrets } from "../../base/secrets/without-secrets.js";
import { timeLeft, turnSoFar } from "../../core/limits/limits.js";
import { estimateTokens } from "../../core/model/tokens.js";
import { inTime } from "../../core/nodes/acting/timed-call.js";
import type { Node } from "../../core/nodes/run-node.js";
import { runOf } from "../../core/run/run.js";
import { outsideText } from "../../core/state/outside.js";
import type { Searched } from "../../core/state/retrieval.js";
import { placeOf, type Source } from "../../core/state/source.js";
import type { AgentStateUpdate } from "../../core/state/state.js";
import { fuseRanks } from "../../documents/search/rank-fusion.js";
import type { RetrievalDependencies } from "../dependencies.js";
import { type NamedRetriever, search } from "../searching/retriever.js";
import { foundSources, retrievalOf, withFound } from "./read-state.js";

/** Makes the node that searches. Its passages join those that are there. */
export function retrieve(parts: RetrievalDependencies): Node<AgentStateUpdate> {
  const { agent, retrievers, grading, minScore, searchTimeoutMs } = parts;
  const budget = {
    maxPassages: parts.maxPassages,
    maxTokens: parts.passageTokens,
    isJoined: parts.combine === "stuff",
  };
  return async (state, config) => {
    const retrieval = retrievalOf(state);
    const { queries, usedFallback } = retrieval;
    const chosen =
      usedFallback && grading?.fallback
        ? [grading.fallback]
        : retrievers.filter(({ name }) => retrieval.retrievers.includes(name));
    // An error of a retriever is text from outside, too.
    runOf(config).learn(chosen.map(({ name }) => outsideText(name, state.turn)));
    const left = timeLeft(agent.limits, turnSoFar(state, config), { isLast: false });
    const timeoutMs = Math.ceil(Math.max(1, Math.min(left, searchTimeoutMs)));
    const { passages, searched, failed } = await searchAll(
      { retrievers: chosen, queries, minScore, timeoutMs },
      config,
    );
    for (const one of searched) runOf(config).emit({ type: "search", ...one });
    // The turn goes on with what an earlier search found, or ends at its time limit.
    const isTurnOver = timeLeft(agent.limits, turnSoFar(state, config), { isLast: false }) <= 0;
    if (failed && !isTurnOver && !retrieval.searched.some(({ error }) => error === undefined)) throw failed;
    const before = foundSources(state);
    const known = new Set(before.map(placeOf));
    const found = withinBudget(passages, budget);
    const all = [...before, ...found.filter((source) => !known.has(placeOf(source)))];
    return withFound(state, withinBudget(all, { ...budget, maxPassages: all.length }), {
      rounds: retrieval.rounds + 1,
      searched: [...retrieval.searched, ...searched],
    });
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

/** A search: all queries in all retrievers. */
interface Searches {
  readonly retrievers: readonly NamedRetriever[];
  readonly queries: readonly string[];
  /** The least score of a passage. Default: any passage. */
  readonly minScore: number | undefined;
  /** The longest time of one search, in milliseconds. */
  readonly timeoutMs: number;
}

/** What searches found, the best first. `failed` is the error if none of them worked. */
interface AllFound {
  readonly passages: Source[];
  readonly searched: Searched[];
  readonly failed: RetrieverError | undefined;
}

/**
 * Searches with all queries in all retrievers, in parallel. The results are joined by reciprocal rank fusion.
 *
 * @throws RetrieverError if the scores that `minScore` needs are missing.
 */
async function searchAll(
  { retrievers, queries, minScore, timeoutMs }: Searches,
  config: LangGraphRunnableConfig,
): Promise<AllFound> {
  const one = async ({ name, retriever }: NamedRetriever, query: string): Promise<Found> => {
    try {
      const found = await inTime(timeoutMs, config, (timed) => search(retriever, query, timed));
      return { retriever: name, query, ...found, passages: goodEnough(found.passages, minScore, name) };
    } catch (error) {
      if (config.signal?.aborted || error instanceof RetrieverError) throw error;
      return { retriever: name, query, passages: [], cause: error };
    }
  };
  const all = await Promise.all(retrievers.flatMap((retriever) => queries.map((query) => one(retriever, query))));
  const [first] = all;
  const isFailed = first !== undefined && all.every(({ cause }) => cause !== undefined);
  const lists = all.map(({ passages }) => passages);
  return {
    failed: isFailed ? retrieverError(first) : undefined,
    passages: fuseRanks(lists, placeOf).map(withBestScore(lists.flat())),
    searched: all.map(note),
  };
}

interface Found {
  readonly retriever: string;
  readonly query: string;
  readonly passages: readonly Source[];
  readonly notSearched?: string | undefined;
  readonly cause?: unknown;
}

function retrieverError({ retriever, cause }: Found): RetrieverError {
  return new RetrieverError(retriever, withoutSecrets(messageOf(cause)), { cause });
}

function note({ retriever, query, passages, notSearched, cause }: Found): Searched {
  const error = cause === undefined ? undefined : withoutSecrets(messageOf(cause)).slice(0, 500);
  const told = { ...(error !== undefined && { error }), ...(notSearched !== undefined && { notSearched }) };
  return { retriever, query, found: passages.length, ...told };
}

function goodEnough(found: readonly Source[], minScore: number | undefined, name: string): Source[] {
  if (minScore === undefined) return [...found];
  return found.filter(({ score }) => {
    if (score !== undefined) return score >= minScore;
    throw new RetrieverError(
      name,
      "minScore needs scores, and its documents have no metadata.score; leave minScore out",
    );
  });
}

/** A passage that several queries find has the best of its scores. */
function withBestScore(all: readonly Source[]): (source: Source) => Source {
  const scores = new Map<string, number>();
  for (const source of all) {
    const { score } = source;
    if (score !== undefined) scores.set(placeOf(source), Math.max(score, scores.get(placeOf(source)) ?? -Infinity));
  }
  return (source) => ({ ...source, ...(source.score !== undefined && { score: scores.get(placeOf(source)) }) });
}
