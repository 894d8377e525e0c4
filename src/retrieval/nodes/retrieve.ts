import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { RetrieverError } from "../../base/errors.js";
import { messageOf } from "../../base/message-of.js";
import { withoutSecrets } from "../../base/secrets/without-secrets.js";
import { untilAborted } from "../../base/until-aborted.js";
import { estimateTokens } from "../../content/estimated-tokens.js";
import { inTime } from "../../core/nodes/acting/timed-call.js";
import type { Node } from "../../core/nodes/run-node.js";
import { runOf } from "../../core/run/run.js";
import * as seams from "../../core/seams/seams.js";
import { outsideText } from "../../core/state/outside.js";
import { placeOf, type Source } from "../../core/state/source.js";
import type { AgentStateUpdate } from "../../core/state/state.js";
import { takeTime } from "../../core/state/times.js";
import { fuseRanks } from "../../documents/search/rank-fusion.js";
import type { RetrievalDependencies } from "../dependencies.js";
import { rerank } from "../searching/reranker.js";
import { type NamedRetriever, search } from "../searching/retriever.js";
import { foundSources, retrievalOf, withFound } from "./read-state.js";

/** Makes the node that searches. Its passages join those that are there. */
export function retrieve(parts: RetrievalDependencies): Node<AgentStateUpdate> {
  const { agent, retrievers, grading } = parts;
  const minScore = parts.reranker ? undefined : parts.minScore;
  return async (state, config) => {
    const retrieval = retrievalOf(state);
    const { queries, usedFallback } = retrieval;
    const chosen =
      usedFallback && grading?.fallback
        ? [grading.fallback]
        : retrievers.filter(({ name }) => retrieval.retrievers.includes(name));
    // An error of a retriever is text from outside, too.
    runOf(config).learn(chosen.map(({ name }) => outsideText(name, state.turn)));
    const left = () => seams.timeFor(agent.plugins, { state, config });
    const timeoutMs = (most: number) => Math.ceil(Math.max(1, Math.min(most, parts.searchTimeoutMs)));
    const asked = { retrievers: chosen, minScore };
    const { passages, searched, failed } = await searchAll(asked, queries, timeoutMs(left()), config);
    for (const one of searched) runOf(config).emit({ type: "search", ...one });
    // The turn goes on with what an earlier search found, or ends at its time limit. A timer may fire a little early.
    if (failed && left() >= 1 && !retrieval.searched.some(({ error }) => error === undefined)) throw failed;
    const before = foundSources(state);
    const known = new Set(before.map(placeOf));
    // A reranker that hangs leaves time for the answer.
    const ranked = await reranked(parts, passages, queries, timeoutMs(left() / 2), config);
    const found = withinBudget(ranked, parts);
    const all = [...before, ...found.filter((source) => !known.has(placeOf(source)))];
    return withFound(state, withinBudget(all, { ...parts, maxPassages: all.length }), {
      rounds: retrieval.rounds + 1,
      searched: [...retrieval.searched, ...searched],
    });
  };
}

/**
 * Returns passages as the reranker orders them, for the first of the queries, without those that it scores below `minScore`.
 * If it fails, an event says so and the order stays.
 */
async function reranked(
  { reranker, minScore }: RetrievalDependencies,
  passages: readonly Source[],
  [query = ""]: readonly string[],
  timeoutMs: number,
  config: LangGraphRunnableConfig,
): Promise<readonly Source[]> {
  if (reranker === undefined || passages.length === 0) return passages;
  const told = { type: "rerank", kept: passages.length, dropped: 0 } as const;
  try {
    const ranked = await inTime(timeoutMs, config, (timed) =>
      untilAborted(rerank(reranker, passages, query, timed), timed.signal),
    );
    const kept = minScore === undefined ? ranked : ranked.filter(({ score = minScore }) => score >= minScore);
    // A reranker that splits passages returns more than it was given.
    const dropped = Math.max(0, passages.length - kept.length);
    runOf(config).emit({ ...told, kept: kept.length, dropped });
    return kept;
  } catch (error) {
    if (config.signal?.aborted) throw error;
    runOf(config).emit({ ...told, error: wordsOf(error) });
    return passages;
  }
}

/** Returns the passages that fit into one prompt, or each into its own, the best first. One that is too long alone is cut. */
function withinBudget(
  passages: readonly Source[],
  { maxPassages, passageTokens, combine }: Pick<RetrievalDependencies, "maxPassages" | "passageTokens" | "combine">,
): Source[] {
  let left = passageTokens;
  const kept: Source[] = [];
  for (const source of passages) {
    if (kept.length === maxPassages) break;
    const passage = cutTo(source.passage ?? "", passageTokens);
    const tokens = estimateTokens(passage);
    if (combine === "stuff" && tokens > left && kept.length > 0) continue;
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

/**
 * Searches with all queries in all retrievers, in parallel. The results are joined by reciprocal rank fusion.
 *
 * @returns What was found, the best first, and the error if no search worked.
 * @throws RetrieverError if the scores that `minScore` needs are missing.
 */
async function searchAll(
  { retrievers, minScore }: Pick<RetrievalDependencies, "retrievers" | "minScore">,
  queries: readonly string[],
  timeoutMs: number,
  config: LangGraphRunnableConfig,
) {
  const one = async ({ name, retriever }: NamedRetriever, query: string) => {
    const asked = { retriever: name, query };
    const taken = takeTime();
    try {
      const { passages, notSearched } = await inTime(timeoutMs, config, (timed) =>
        untilAborted(search(retriever, query, timed), timed.signal),
      );
      const good = goodEnough(passages, minScore, name);
      const searched = {
        ...asked,
        found: good.length,
        ...(notSearched !== undefined && { notSearched }),
        times: taken(),
      };
      return { passages: good, searched };
    } catch (error) {
      if (config.signal?.aborted || error instanceof RetrieverError) throw error;
      const failed = new RetrieverError(name, wordsOf(error), { cause: error });
      return { passages: [], searched: { ...asked, found: 0, error: wordsOf(error), times: taken() }, failed };
    }
  };
  const all = await Promise.all(retrievers.flatMap((retriever) => queries.map((query) => one(retriever, query))));
  const lists = all.map(({ passages }) => passages);
  const failed = all.every((each) => each.failed) ? all[0]?.failed : undefined;
  return { passages: fuseRanks(lists, placeOf), searched: all.map(({ searched }) => searched), failed };
}

function wordsOf(cause: unknown): string {
  return withoutSecrets(messageOf(cause)).slice(0, 500);
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
