import { z } from "zod";
import { DocumentSearchError } from "../../base/errors.js";
import type { SqliteStatement } from "../../sqlite/sqlite-server.js";
import { type CheckedFilter, filterCondition } from "./document-filter.js";
import type { IndexFile } from "./index-file.js";
import { unspacedSign } from "./indexed-words.js";
import { meantWords, spellingQuery } from "./spellings.js";
import { headingsCell, modelQuery, readModel } from "./vector-table.js";

/** The vector of a query, as the bytes of 32-bit numbers, and the identity of the model that made it. */
export interface QueryVector {
  readonly model: string;
  readonly vector: Uint8Array;
}

/** Where it is looked for. */
export interface SearchScope {
  readonly folder: number;
  readonly filter: CheckedFilter;
  /** The paths of documents that are not found. */
  readonly gone: readonly string[];
  /** The largest number of passages that are found in one way. */
  readonly limit: number;
}

const foundRow = z.object({
  id: z.number(),
  document: z.number(),
  section: z.number(),
  path: z.string(),
  title: z.string(),
  headings: headingsCell,
  text: z.string(),
  matched: z.number(),
  score: z.number(),
});
const textRow = z.object({ id: z.number(), text: z.string() });

/**
 * A passage, where it stands, and how well it fits: a higher score is better. `matched` is the score of its words by BM25, and 0
 * for a passage that was found by meaning.
 */
export type FoundPassage = Readonly<z.output<typeof foundRow>>;

/** The text of a passage. */
export type PassageText = Readonly<z.output<typeof textRow>>;

const columns =
  "passages.id, passages.document, section, path, title, passages.headings as headings, passages.text as text";

/** The number of passages that are compared by their whole vectors, after all were compared by the signs in them. */
const compared = 1_000;

/** The queries of a search, on the rows of an index. */
export class PassageSearch {
  constructor(private readonly file: IndexFile) {}

  /**
   * Finds passages by lists of words, none of which is empty, and by a vector. For a word that the folder does not have, those
   * are looked for that are written almost like it. With a vector the score of all passages is the cosine of the angle between
   * the vectors: 1 for the same direction. Without one it is the score of the words, above 0.
   *
   * @returns A list for each list and for the vector, with the best first. All are of one state of the index.
   * @throws {DocumentSearchError} if the vectors in the index are another model's.
   */
  async find(
    words: readonly (readonly string[])[],
    vector: QueryVector | undefined,
    scope: SearchScope,
  ): Promise<readonly (readonly FoundPassage[])[]> {
    const similar = await this.file.readAll(words.map((list) => spellingQuery(list, scope.folder)));
    const queries = words.map((list, at) => {
      const anyWord = [...list, ...meantWords(similar[at] ?? [])].map(quoted).join(" OR ");
      return byWords(anyWord, vector, scope);
    });
    if (vector) queries.push(byMeaning(vector, scope));
    const [models = [], ...lists] = await this.file.readAll([modelQuery, ...queries]);
    const model = readModel(models);
    if (vector && model !== vector.model) {
      const makers = `${model ?? "no model"} meanwhile, not by ${vector.model}`;
      const reason = `the vectors of the index were made by ${makers}. Give each model an index of its own.`;
      throw new DocumentSearchError(vector.model, reason);
    }
    return lists.map((list) => z.array(foundRow).parse(list));
  }

  /** Reads for each passage its text and those beside it in its section, in the order of the document. */
  async around(passages: readonly FoundPassage[], reach: number): Promise<readonly (readonly PassageText[])[]> {
    const queries = passages.map(({ id, document, section }) => ({
      sql: "select id, text from passages where document = ?1 and section = ?2 and id between ?3 and ?4 order by id",
      parameters: [document, section, id - reach, id + reach],
    }));
    return (await this.file.readAll(queries)).map((rows) => z.array(textRow).parse(rows));
  }
}

/** Each character of a script without spaces begins a word. */
function quoted(word: string): string {
  return unspacedSign.test(word) ? `"${word}"*` : `"${word}"`;
}

/** A word in a title or path counts eight times as much as in the text, and one in a heading four times. */
const bm25 = "rank match 'bm25(8.0, 4.0, 1.0)'";

/**
 * Writes the query for words. Its order is that of SQLite's own ranking, which reads no passage after the last one. With a
 * vector, the passages that have one are found, and the cosine is their score.
 */
function byWords(
  words: string,
  query: QueryVector | undefined,
  { folder, filter, gone, limit }: SearchScope,
): SqliteStatement {
  const { sql, parameters } = filterCondition(filter, gone, "passages.document", "?2", query ? 6 : 4);
  const score = query ? "1 - vec_distance_cosine(vectors.vector, ?4)" : "-rank";
  const vectors = query ? `cross join vectors on vectors.id = passages.vector and (${modelQuery.sql}) = ?5` : "";
  return {
    sql: `select ${columns}, -rank as matched, ${score} as score from passage_words
      cross join passages on passages.id = passage_words.rowid cross join documents on documents.id = passages.document
      ${vectors}
      where passage_words match ?1 and ${bm25} and passages.folder = ?2 and ${sql} order by rank limit ?3`,
    parameters: [words, folder, limit, ...(query ? [query.vector, query.model] : []), ...parameters],
  };
}

/**
 * Writes the query for the nearest vectors. All are compared by the signs of their numbers, which is fast, and the best
 * 1,000 of those by the cosine. A vector of another model may have another length, and is never compared.
 */
function byMeaning({ vector, model }: QueryVector, { folder, filter, gone, limit }: SearchScope): SqliteStatement {
  const { sql, parameters } = filterCondition(filter, gone, "document", "?2", 5);
  return {
    sql: `select ${columns}, 0 as matched, 1 - vec_distance_cosine(vectors.vector, ?1) as score
      from (
        select passage from vector_signs where folder = ?2 and (${modelQuery.sql}) = ?4 and ${sql}
        order by vec_distance_hamming(vec_bit(signs), vec_quantize_binary(?1)) limit ${compared}
      ) as near
      cross join passages on passages.id = near.passage cross join vectors on vectors.id = passages.vector
      cross join documents on documents.id = passages.document
      order by score desc, passages.id limit ?3`,
    parameters: [vector, folder, limit, model, ...parameters],
  };
}
