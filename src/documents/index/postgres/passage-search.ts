import { z } from "zod";
import type { PostgresCell } from "../../../postgres/postgres-batch.js";
import type { CheckedFilter } from "../document-filter.js";
import type { FoundPassage, PassageQuery, PassageText, SearchScope } from "../document-index.js";
import { foundRow, textRow } from "../index-rows.js";
import { IndexedWords } from "../indexed-words.js";
import { otherModel } from "../other-model.js";
import type { IndexDatabase } from "./index-database.js";
import { modelQuery, readModel, vectorText } from "./vector-table.js";

const words = new IndexedWords();

/** The queries of a search, on the tables of an index. */
export class PassageSearch {
  constructor(private readonly database: IndexDatabase) {}

  async find(query: PassageQuery, scope: SearchScope): Promise<readonly (readonly FoundPassage[])[]> {
    const { vector } = query;
    const anyWord = JSON.stringify(query.words.map((word) => words.separated(word)));
    const lists = await this.database.readTogether(async (ask) => {
      if (vector === undefined) return [await ask(...byWords(anyWord, scope))];
      const model = readModel(await ask(modelQuery));
      if (model !== vector.model) throw otherModel(vector.model, model);
      const text = vectorText(vector.vector);
      return [await ask(...scoredByMeaning(anyWord, text, scope)), await ask(...byMeaning(text, scope))];
    });
    return lists.map((list) => z.array(foundRow).parse(list));
  }

  async around({ id, document, section }: FoundPassage, reach: number): Promise<readonly PassageText[]> {
    const sql = `select id, text from glassloop_passages
      where document = $1 and section = $2 and id between $3 and $4 order by id`;
    return z.array(textRow).parse(await this.database.read(sql, document, section, id - reach, id + reach));
  }
}

type Query = readonly [sql: string, ...parameters: PostgresCell[]];

const columns =
  "passages.id, passages.document, section, path, title, passages.headings as headings, passages.text as text";
const tables = "glassloop_passages passages join glassloop_documents documents on documents.id = passages.document";

/** Makes a query of texts, for any of them. One that is only stop words becomes empty. */
const wanted = `(select string_agg('(' || one::text || ')', ' | ')::tsquery as any_word
  from json_array_elements_text($1) text, phraseto_tsquery('english', text) one where numnode(one) > 0) as wanted`;

/**
 * A word in a heading counts four times as much as in the text. The rank grows with the number of words that are found, and
 * little with how often one of them is. Postgres does not know how rare a word is.
 */
const rank = "ts_rank('{0.25, 0, 0, 1}', passages.words, any_word)";

/** Writes the query for words. */
function byWords(anyWord: string, { folder, filter, limit }: SearchScope): Query {
  return [
    `select ${columns}, ${rank} as score from ${wanted} cross join ${tables}
      where passages.words @@ any_word and passages.folder = $2 and ${filterCondition("$4")}
      order by score desc, passages.id limit $3`,
    ...[anyWord, folder, limit, JSON.stringify(filterOf(filter))],
  ];
}

/** Writes the same query for passages that have a vector, with the cosine for a score. */
function scoredByMeaning(anyWord: string, vector: string, { folder, filter, limit }: SearchScope): Query {
  return [
    `select ${columns}, 1 - (vectors.vector <=> $5::vector) as score from ${wanted} cross join ${tables}
      join glassloop_vectors vectors on vectors.id = passages.vector
      where passages.words @@ any_word and passages.folder = $2 and ${filterCondition("$4")}
      order by ${rank} desc, passages.id limit $3`,
    ...[anyWord, folder, limit, JSON.stringify(filterOf(filter)), vector],
  ];
}

/** Writes the query for the nearest vectors. All of the folder are compared. */
function byMeaning(vector: string, { folder, filter, limit }: SearchScope): Query {
  return [
    `select ${columns}, 1 - (vectors.vector <=> $1::vector) as score
      from ${tables} join glassloop_vectors vectors on vectors.id = passages.vector
      where passages.folder = $2 and ${filterCondition("$4")} order by score desc, passages.id limit $3`,
    ...[vector, folder, limit, JSON.stringify(filterOf(filter))],
  ];
}

/** Writes the condition that a document fits a filter. The parameter has the value of {@link filterOf}. */
function filterCondition(parameter: string): string {
  const filter = `(${parameter}::json)`;
  const anyOf = (column: string, patterns: string) => `(json_array_length(${filter} -> '${patterns}') = 0
    or ${column} like any (select json_array_elements_text(${filter} -> '${patterns}')))`;
  return `${anyOf("path", "paths")} and ${anyOf("lower(path)", "endings")} and not exists (
    select 1 from json_each(${filter} -> 'fields') as asked where not exists (
      select 1 from glassloop_fields fields where fields.document = documents.id and fields.name = asked.key
        and fields.value in (select json_array_elements_text(asked.value))))`;
}

/** Writes the patterns of a filter in the language of `like`. */
function filterOf({ path = [], extension = [], frontMatter = {} }: CheckedFilter) {
  const plain = (text: string) => text.replaceAll(/[\\%_]/g, "\\$&");
  return {
    paths: path.map((pattern) => plain(pattern).replaceAll("*", "%").replaceAll("?", "_")),
    endings: extension.map((ending) => `%.${plain(ending.replace(/^\./, "").toLowerCase())}`),
    fields: frontMatter,
  };
}
