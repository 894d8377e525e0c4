import { z } from "zod";
import type { SqliteStatement } from "../../../sqlite/sqlite-server.js";
import type { FoundPassage, PassageQuery, PassageText, QueryVector, SearchScope } from "../document-index.js";
import { foundRow, textRow } from "../index-rows.js";
import { otherModel } from "../other-model.js";
import { filterCondition } from "./filter-condition.js";
import type { IndexFile } from "./index-file.js";
import { modelQuery, readModel } from "./vector-table.js";

const columns =
  "passages.id, passages.document, section, path, title, passages.headings as headings, passages.text as text";

/** The number of passages that are compared by their whole vectors, after all were compared by the signs in them. */
const compared = 1_000;

/** The queries of a search, on the rows of an index. */
export class PassageSearch {
  constructor(private readonly file: IndexFile) {}

  async find({ words, vector }: PassageQuery, scope: SearchScope): Promise<readonly (readonly FoundPassage[])[]> {
    const anyWord = words.map((word) => `"${word}"`).join(" OR ");
    const queries = [
      ...(anyWord === "" ? [] : [vector ? scoredByMeaning(anyWord, vector, scope) : byWords(anyWord, scope)]),
      ...(vector ? [byMeaning(vector, scope)] : []),
    ];
    const [models = [], ...lists] = await this.file.readAll([modelQuery, ...queries]);
    const model = readModel(models);
    if (vector && model !== vector.model) throw otherModel(vector.model, model);
    return lists.map((list) => z.array(foundRow).parse(list));
  }

  async around({ id, document, section }: FoundPassage, reach: number): Promise<readonly PassageText[]> {
    const sql =
      "select id, text from passages where document = ?1 and section = ?2 and id between ?3 and ?4 order by id";
    return z.array(textRow).parse(await this.file.read(sql, document, section, id - reach, id + reach));
  }
}

/** A word in a heading counts four times as much as in the text. */
const bm25 = "rank match 'bm25(4.0, 1.0)'";

/** Writes the query for words. Its order is that of SQLite's own ranking, which reads no passage after the last one. */
function byWords(words: string, { folder, filter, limit }: SearchScope): SqliteStatement {
  const { sql, parameters } = filterCondition(filter, "passages.document", "?2", 4);
  return {
    sql: `select ${columns}, -rank as score from passage_words
      cross join passages on passages.id = passage_words.rowid cross join documents on documents.id = passages.document
      where passage_words match ?1 and ${bm25} and passages.folder = ?2 and ${sql} order by rank limit ?3`,
    parameters: [words, folder, limit, ...parameters],
  };
}

/** Writes the same query for passages that have a vector, with the cosine for a score. */
function scoredByMeaning(words: string, query: QueryVector, { folder, filter, limit }: SearchScope): SqliteStatement {
  const { sql, parameters } = filterCondition(filter, "passages.document", "?2", 6);
  return {
    sql: `select ${columns}, 1 - vec_distance_cosine(vectors.vector, ?4) as score from passage_words
      cross join passages on passages.id = passage_words.rowid cross join documents on documents.id = passages.document
      cross join vectors on vectors.id = passages.vector
      where passage_words match ?1 and ${bm25} and passages.folder = ?2 and (${modelQuery.sql}) = ?5 and ${sql}
      order by rank limit ?3`,
    parameters: [words, folder, limit, query.vector, query.model, ...parameters],
  };
}

/**
 * Writes the query for the nearest vectors. All are compared by the signs of their numbers, which is fast, and the best
 * 1,000 of those by the cosine. A vector of another model may have another length, and is never compared.
 */
function byMeaning({ vector, model }: QueryVector, { folder, filter, limit }: SearchScope): SqliteStatement {
  const { sql, parameters } = filterCondition(filter, "document", "?2", 5);
  return {
    sql: `select ${columns}, 1 - vec_distance_cosine(vectors.vector, ?1) as score
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
