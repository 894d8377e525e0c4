import { z } from "zod";
import { DocumentSearchError } from "../../base/errors.js";
import { SqliteConnection } from "../../sqlite/sqlite-connection.js";
import { explainSqlite, isDamaged } from "../../sqlite/sqlite-error.js";
import type { Cell, SqliteStatement } from "../../sqlite/sqlite-server.js";
import { DocumentRows, type NewDocument } from "./document-rows.js";
import { IndexedWords } from "./indexed-words.js";
import { PassageCutter } from "./passage-cutter.js";

/** The application id in the header of a SQLite file that is an index: "GLSD". */
const applicationId = 0x47_4c_53_44;

const layout = [
  `create table if not exists documents (
    id integer primary key, folder text not null, path text not null, modified real not null, size integer not null,
    skipped text, unique (folder, path)
  )`,
  `create table if not exists passages (
    id integer primary key, document integer not null, headings text not null, text text not null
  )`,
  "create index if not exists passages_of_document on passages (document)",
  `create virtual table if not exists passage_words using fts5 (
    headings, text, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2'
  )`,
  `pragma application_id = ${applicationId}`,
  "pragma user_version = 1",
];

const documentRow = z.object({
  id: z.number(),
  path: z.string(),
  modified: z.number(),
  size: z.number(),
  skipped: z.string().nullable(),
});
const foundRow = z.object({ path: z.string(), headings: z.string(), text: z.string() });
const headerRow = z.object({ application: z.number(), version: z.number(), tables: z.number() });

const rows = new DocumentRows(new PassageCutter(), new IndexedWords());
/** The same, as the thread of the index makes it. */
const rowsSource = `new (${DocumentRows})(new (${PassageCutter})(), new (${IndexedWords})())`;

/** A document in the index. `skipped` tells what of it is not in the index. */
export type IndexedDocument = z.infer<typeof documentRow>;

/** A passage that was found, with the path of its document. */
export interface FoundPassage {
  readonly path: string;
  readonly headings: readonly string[];
  readonly text: string;
}

/**
 * An index of the passages of folders, in SQLite's full-text search. It can always be made again from the documents.
 * Several processes may have one file open.
 */
export class DocumentIndex {
  /**
   * Opens an index, and makes it if it does not exist.
   *
   * @param place The path of a file, which only its owner can read, or ":memory:".
   * @throws {DocumentSearchError} if the file cannot be used. Nothing in it is changed in that case.
   */
  static async open(place: string): Promise<DocumentIndex> {
    const connection = await guard(place, SqliteConnection.open(place, rowsSource));
    const index = new DocumentIndex(place, connection);
    try {
      await index.#prepare();
      return index;
    } catch (error) {
      await index.close();
      throw error;
    }
  }

  private constructor(
    private readonly place: string,
    private readonly connection: SqliteConnection,
  ) {}

  /** Returns the documents of a folder, as they were when they were last read. */
  async documents(folder: string): Promise<readonly IndexedDocument[]> {
    const found = await this.#read("select id, path, modified, size, skipped from documents where folder = ?1", folder);
    return z.array(documentRow).parse(found);
  }

  /** Puts a document in the place of an older one of the same path. It is cut and indexed in the index's own thread. */
  async put(document: NewDocument): Promise<void> {
    await guard(this.place, this.connection.writeMade(document));
  }

  async remove(folder: string, path: string): Promise<void> {
    await this.#write(rows.forget(folder, path));
  }

  /**
   * Finds the passages that answer a query best, by BM25. A word in a heading counts four times as much as in the text.
   *
   * @param query A query in the language of FTS5.
   */
  async search(folder: string, query: string, limit: number): Promise<readonly FoundPassage[]> {
    const sql = `
      select documents.path, passages.headings, passages.text from passage_words
      join passages on passages.id = passage_words.rowid join documents on documents.id = passages.document
      where passage_words match ?1 and documents.folder = ?2
      order by bm25(passage_words, 4.0, 1.0), documents.path, passages.id limit ?3`;
    const found = z.array(foundRow).parse(await this.#read(sql, query, folder, limit));
    return found.map((row) => ({ ...row, headings: z.array(z.string()).parse(JSON.parse(row.headings)) }));
  }

  /** Ends the connection. */
  close(): Promise<void> {
    return this.connection.close();
  }

  async #prepare(): Promise<void> {
    const [header] = z.array(headerRow).parse(await this.#read(headerQuery));
    if (header === undefined || header.tables === 0) {
      await guard(this.place, this.connection.execute("pragma journal_mode = wal"));
      // Another process may do the same at the same time.
      await this.#write(layout.map((sql) => ({ sql, parameters: [] })));
    } else if (header.application !== applicationId || header.version !== 1) {
      throw unusable(this.place, header.application);
    }
  }

  async #read(sql: string, ...parameters: Cell[]): Promise<unknown[]> {
    const [found = []] = await guard(this.place, this.connection.read([{ sql, parameters }]));
    return found;
  }

  /** A loss of power may undo the last rows. They are made again from the documents. */
  async #write(statements: readonly SqliteStatement[]): Promise<void> {
    await guard(this.place, this.connection.write(statements, { synced: false }));
  }
}

const headerQuery = `select (select application_id from pragma_application_id) as application,
  (select user_version from pragma_user_version) as version, (select count(*) from sqlite_master) as tables`;

function unusable(place: string, application: number): DocumentSearchError {
  const reason =
    application === applicationId ? "it is of another version of Glassloop" : "it belongs to another program";
  return new DocumentSearchError(place, `the index "${place}": ${reason}. Give the path of another file.`);
}

/** Throws a failure of the database or of its file as an error that says what to do. */
async function guard<T>(place: string, promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    const reason = isDamaged(error)
      ? "it is damaged. Delete it: it is made again from the documents."
      : explainSqlite(error);
    throw reason === undefined
      ? error
      : new DocumentSearchError(place, `the index "${place}": ${reason}`, { cause: error });
  }
}
