import { z } from "zod";
import { DocumentSearchError } from "../../../base/errors.js";
import { ReadingThread } from "../../reading/reading-thread.js";
import { DocumentCutter, type NewDocument } from "../document-cutter.js";
import type {
  DocumentIndex,
  FoundPassage,
  IndexedDocument,
  PassageQuery,
  PassageText,
  SearchScope,
  SkippedFile,
} from "../document-index.js";
import { countRow, documentRow, idRow, skippedRow } from "../index-rows.js";
import { IndexedWords } from "../indexed-words.js";
import { PassageCutter } from "../passage-cutter.js";
import { DocumentListMaker, type DocumentLists } from "./document-lists.js";
import { IndexDatabase } from "./index-database.js";
import { PassageSearch } from "./passage-search.js";
import { putDocuments } from "./put-documents.js";
import { PostgresVectorTable } from "./vector-table.js";

const listMaker = `new (${DocumentListMaker})(new (${DocumentCutter})(new (${PassageCutter})()), new (${IndexedWords})())`;
const longestCutMs = 60_000;
const cutMegabytes = 2_000;
/** The largest number of rows that are read or removed at a time. */
const pageSize = 2_000;

/** An index of documents in a Postgres database, in its text search and as vectors of pgvector, for many machines. */
export class PostgresIndex implements DocumentIndex {
  readonly vectors: PostgresVectorTable;
  readonly #search: PassageSearch;
  readonly #thread = new ReadingThread<readonly NewDocument[], DocumentLists>(listMaker, cutMegabytes);

  private constructor(private readonly database: IndexDatabase) {
    this.vectors = new PostgresVectorTable(database);
    this.#search = new PassageSearch(database);
  }

  /** Opens an index, as `openIndex` does. */
  static async open(url: string, hasVectors: boolean): Promise<PostgresIndex> {
    return new PostgresIndex(await IndexDatabase.open(url, hasVectors));
  }

  async folder(path: string): Promise<number> {
    const sql = "select id from glassloop_folders where path = $1";
    const [known] = z.array(idRow).parse(await this.database.read(sql, path));
    if (known) return known.id;
    await this.database.write({
      sql: "insert into glassloop_folders (path) values ($1) on conflict (path) do nothing",
      parameters: [path],
    });
    return this.folder(path);
  }

  async documents(folder: number): Promise<Map<string, IndexedDocument>> {
    const found = new Map<string, IndexedDocument>();
    for (let last = ""; ; ) {
      const sql = `select path, modified, size, skipped from glassloop_documents
        where folder = $1 and path > $2 order by path limit ${pageSize}`;
      const page = z.array(documentRow).parse(await this.database.read(sql, folder, last));
      for (const document of page) found.set(document.path, document);
      if (page.length < pageSize) return found;
      last = page.at(-1)?.path ?? last;
    }
  }

  async skipped(folder: number, limit: number): Promise<readonly SkippedFile[]> {
    const sql = `select path, skipped from glassloop_documents
      where folder = $1 and skipped is not null order by path limit $2`;
    return z.array(skippedRow).parse(await this.database.read(sql, folder, limit));
  }

  countSkipped(folder: number): Promise<number> {
    return this.#count("glassloop_documents where folder = $1 and skipped is not null", folder);
  }

  countPassages(folder: number): Promise<number> {
    return this.#count("glassloop_passages where folder = $1", folder);
  }

  async put(documents: readonly NewDocument[]): Promise<void> {
    const folder = documents[0]?.folder ?? 0;
    const { best, end } = await this.#thread.read(documents, longestCutMs);
    if (best === undefined) throw new DocumentSearchError(String(folder), `the documents could not be cut (${end}).`);
    await this.database.write(putDocuments(folder, best));
  }

  async remove(folder: number, paths: readonly string[]): Promise<void> {
    for (let start = 0; start < paths.length; start += pageSize) {
      const page = JSON.stringify(paths.slice(start, start + pageSize));
      const sql = "delete from glassloop_documents where folder = $1 and path in (select json_array_elements_text($2))";
      await this.database.write({ sql, parameters: [folder, page] });
    }
  }

  find(query: PassageQuery, scope: SearchScope): Promise<readonly (readonly FoundPassage[])[]> {
    return this.#search.find(query, scope);
  }

  around(passage: FoundPassage, reach: number): Promise<readonly PassageText[]> {
    return this.#search.around(passage, reach);
  }

  async close(): Promise<void> {
    await Promise.all([this.#thread.close(), this.database.close()]);
  }

  async #count(what: string, folder: number): Promise<number> {
    const [found] = z.array(countRow).parse(await this.database.read(`select count(*) as count from ${what}`, folder));
    return found?.count ?? 0;
  }
}
