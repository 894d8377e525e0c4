import { z } from "zod";
import { DocumentSearchError } from "../../base/errors.js";
import { messageOf } from "../../base/message-of.js";
import { aboutText, type EmbeddingModel } from "../embedding/embedding-model.js";
import type { FoundPassage, PassageSearch, SearchScope } from "../index/passage-search.js";
import { rankByNames } from "./rank-by-names.js";
import { fuseRanks } from "./rank-fusion.js";
import { searchLists } from "./search-words.js";

/**
 * Tells how well passages answer a query. Each passage is given with the title of its document and its headings.
 *
 * @returns A number for each passage, in their order. Higher is better.
 */
export type Rerank = (query: string, passages: readonly string[]) => Promise<readonly number[]>;

/** What ranks passages besides words. */
export interface Ranking {
  readonly model: EmbeddingModel | undefined;
  readonly rerank: Rerank | undefined;
}

/** The names of a passage may lift it from a place behind those that are wanted. */
const fewestFound = 60;

const scoreList = z.array(z.number());

/**
 * Ranks the passages that may answer a query, the best first. Lists of words take turns: a log that is pasted with a question
 * matches more than the question does. Without a model the score is that of the words. With one, passages found by words and by
 * meaning are joined by their ranks, and the score is the cosine. A reranker has the last word.
 *
 * @throws {DocumentSearchError} if the index, the model or the reranker fails.
 */
export async function rankPassages(
  passages: PassageSearch,
  query: string,
  scope: SearchScope,
  { model, rerank }: Ranking,
): Promise<readonly FoundPassage[]> {
  const vector = await model?.embedQuery(query);
  const words = searchLists(query);
  const limit = Math.max(fewestFound, scope.limit);
  const found = await passages.find({ lists: words, vector }, { ...scope, limit });
  const byWords = words.flatMap((list, at) =>
    rankByNames(found[at] ?? [], list).map((passage, place) => ({ passage, place })),
  );
  byWords.sort((one, other) => one.place - other.place);
  const lists = [byWords.map(({ passage }) => passage), ...found.slice(words.length)];
  const ranked = fuseRanks(lists, ({ id }) => id)
    .slice(0, scope.limit)
    .map((passage) => (vector ? passage : { ...passage, score: passage.matched }));
  return rerank === undefined ? ranked : reranked(rerank, query, ranked);
}

async function reranked(
  rerank: Rerank,
  query: string,
  passages: readonly FoundPassage[],
): Promise<readonly FoundPassage[]> {
  if (passages.length === 0) return [];
  const scores = scoreList.safeParse(await askReranker(rerank, query, passages.map(aboutText))).data;
  if (scores?.length !== passages.length) {
    throw rerankerFailed(`it must return a number for each of the ${passages.length} passages, in their order`);
  }
  return passages
    .map((passage, index) => ({ ...passage, score: scores[index] ?? 0 }))
    .sort((one, other) => other.score - one.score);
}

async function askReranker(rerank: Rerank, query: string, passages: readonly string[]): Promise<unknown> {
  try {
    return await rerank(query, passages);
  } catch (error) {
    throw rerankerFailed(messageOf(error), error);
  }
}

function rerankerFailed(reason: string, cause?: unknown): DocumentSearchError {
  return new DocumentSearchError("rerank", `the reranker failed: ${reason}.`, { cause });
}
