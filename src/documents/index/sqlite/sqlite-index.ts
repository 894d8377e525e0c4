import { z } from "zod";
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
import { DocumentRows } from "./document-rows.js";
import { IndexFile } from "./index-file.js";
import { PassageSearch } from "./passage-search.js";
import { vectorExtension } from "./vector-extension.js";
import { SqliteVectorTable } from "./vector-table.js";

const rows = new DocumentRows(new DocumentCutter(new PassageCutter()), new IndexedWords());
/** The largest number of rows that are read or removed at a time. More of them would stop the event loop for a while. */
const pageSize = 2_000;

/** An index of documents in a SQLite file, in its full-text search and as vectors. Several processes may have it open. */
export class SqliteIndex implements DocumentIndex {
  readonly vectors: SqliteVectorTable;
  readonly #search: PassageSearch;

  private constructor(private readonly file: IndexFile) {
    this.vectors = new SqliteVectorTable(file);
    this.#search = new PassageSearch(file);
  }

  /** Opens an index, as `openIndex` does. */
  static async open(place: string, hasVectors = false): Promise<SqliteIndex> {
    return new SqliteIndex(await IndexFile.open(place, hasVectors ? await vectorExtension() : undefined));
  }

  async folder(path: string): Promise<number> {
    const sql = "select id from folders where path = ?1";
    const [known] = z.array(idRow).parse(await this.file.read(sql, path));
    if (known) return known.id;
    await this.file.write([{ sql: "insert or ignore into folders (path) values (?1)", parameters: [path] }]);
    return this.folder(path);
  }

  async documents(folder: number): Promise<Map<string, IndexedDocument>> {
    const found = new Map<string, IndexedDocument>();
    for (let last = ""; ; ) {
      const sql = `select path, modified, size, skipped from documents
        where folder = ?1 and path > ?2 order by path limit ${pageSize}`;
      const page = z.array(documentRow).parse(await this.file.read(sql, folder, last));
      for (const document of page) found.set(document.path, document);
      if (page.length < pageSize) return found;
      last = page.at(-1)?.path ?? last;
    }
  }

  async skipped(folder: number, limit: number): Promise<readonly SkippedFile[]> {
    const sql = "select path, skipped from documents where folder = ?1 and skipped is not null order by path limit ?2";
    return z.array(skippedRow).parse(await this.file.read(sql, folder, limit));
  }

  countSkipped(folder: number): Promise<number> {
    return this.#count("documents where folder = ?1 and skipped is not null", folder);
  }

  countPassages(folder: number): Promise<number> {
    return this.#count("passages where folder = ?1", folder);
  }

  put(documents: readonly NewDocument[]): Promise<void> {
    return this.file.put(documents);
  }

  async remove(folder: number, paths: readonly string[]): Promise<void> {
    for (let start = 0; start < paths.length; start += pageSize) {
      const page = paths.slice(start, start + pageSize);
      await this.file.write(page.flatMap((path) => rows.forget(folder, path)));
    }
  }

  find(query: PassageQuery, scope: SearchScope): Promise<readonly (readonly FoundPassage[])[]> {
    return this.#search.find(query, scope);
  }

  around(passage: FoundPassage, reach: number): Promise<readonly PassageText[]> {
    return this.#search.around(passage, reach);
  }

  close(): Promise<void> {
    return this.file.close();
  }

  async #count(what: string, folder: number): Promise<number> {
    const [found] = z.array(countRow).parse(await this.file.read(`select count(*) as count from ${what}`, folder));
    return found?.count ?? 0;
  }
}
