import type { EmbeddingModel } from "../embedding/embedding-model.js";
import type { FoundPassage, PassageSearch, SearchScope } from "../index/passage-search.js";
import { rankByNames } from "./rank-by-names.js";
import { fuseRanks } from "./rank-fusion.js";
import { searchLists } from "./search-words.js";

/** The names of a passage may lift it from a place behind those that are wanted. */
const fewestFound = 60;

/**
 * Ranks the passages that may answer a query, the best first. Lists of words take turns: a log that is pasted with a question
 * matches more than the question does. Without a model the score is that of the words. With one, passages found by words and by
 * meaning are joined by their ranks, and the score is the cosine.
 *
 * @throws {DocumentSearchError} if the index or the model fails.
 */
export async function rankPassages(
  passages: PassageSearch,
  query: string,
  scope: SearchScope,
  model: EmbeddingModel | undefined,
): Promise<readonly FoundPassage[]> {
  const vector = await model?.embedQuery(query);
  const words = searchLists(query);
  const limit = Math.max(fewestFound, scope.limit);
  const found = await passages.find(words, vector, { ...scope, limit });
  const byWords = words.flatMap((list, at) =>
    rankByNames(found[at] ?? [], list).map((passage, place) => ({ passage, place })),
  );
  byWords.sort((one, other) => one.place - other.place);
  const lists = [byWords.map(({ passage }) => passage), ...found.slice(words.length)];
  return fuseRanks(lists, ({ id }) => id)
    .slice(0, scope.limit)
    .map((passage) => (vector ? passage : { ...passage, score: passage.matched }));
}
