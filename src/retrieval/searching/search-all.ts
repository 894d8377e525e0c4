import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { RetrieverError } from "../../base/errors.js";
import { messageOf } from "../../base/message-of.js";
import { withoutSecrets } from "../../base/secrets/without-secrets.js";
import { inTime } from "../../core/nodes/acting/timed-call.js";
import type { Searched } from "../../core/state/retrieval.js";
import type { Source } from "../../core/state/source.js";
import { fuseRanks } from "../../documents/search/rank-fusion.js";
import { type NamedRetriever, search } from "./retriever.js";

/** A search: all queries in all retrievers. */
export interface Searches {
  readonly retrievers: readonly NamedRetriever[];
  readonly queries: readonly string[];
  /** The least score of a passage. Default: any passage. */
  readonly minScore: number | undefined;
  /** The longest time of one search, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Searches with all queries in all retrievers, in parallel. The results are joined by reciprocal rank fusion.
 *
 * @returns The passages, the best first, and what was searched.
 * @throws RetrieverError if no search worked, or the scores that `minScore` needs are missing.
 */
export async function searchAll(
  { retrievers, queries, minScore, timeoutMs }: Searches,
  config: LangGraphRunnableConfig,
): Promise<{ readonly passages: Source[]; readonly searched: Searched[] }> {
  const one = async ({ name, retriever }: NamedRetriever, query: string): Promise<Found> => {
    try {
      const found = await inTime(timeoutMs, config, (timed) => search(retriever, query, timed));
      return { retriever: name, query, passages: goodEnough(found, minScore, name) };
    } catch (error) {
      if (config.signal?.aborted || error instanceof RetrieverError) throw error;
      return { retriever: name, query, passages: [], cause: error };
    }
  };
  const all = await Promise.all(retrievers.flatMap((retriever) => queries.map((query) => one(retriever, query))));
  const [failed] = all.filter(({ cause }) => cause !== undefined);
  if (failed && all.every(({ cause }) => cause !== undefined)) {
    throw new RetrieverError(failed.retriever, withoutSecrets(messageOf(failed.cause)), { cause: failed.cause });
  }
  const lists = all.map(({ passages }) => passages);
  return {
    passages: fuseRanks(lists, placeOf).map(withBestScore(lists.flat())),
    searched: all.map(note),
  };
}

interface Found {
  readonly retriever: string;
  readonly query: string;
  readonly passages: readonly Source[];
  readonly cause?: unknown;
}

function note({ retriever, query, passages, cause }: Found): Searched {
  const error = cause === undefined ? undefined : withoutSecrets(messageOf(cause)).slice(0, 500);
  return { retriever, query, found: passages.length, ...(error !== undefined && { error }) };
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

/** Names the place of a passage. A passage that several searches find is one. */
export function placeOf({ address, passage }: Source): string {
  return JSON.stringify([address, passage]);
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
