import { z } from "zod";
import { DocumentSearchError } from "../../base/errors.js";
import { prepared } from "../../base/prepared.js";
import { workerProgram } from "../../base/worker-program.js";
import { SqliteConnection } from "../../sqlite/sqlite-connection.js";
import { explainSqlite, isDamaged } from "../../sqlite/sqlite-error.js";
import { readHeader, refuseStrangers } from "../../sqlite/sqlite-header.js";
import type { Cell, SqliteStatement } from "../../sqlite/sqlite-server.js";
import type { NewDocument } from "./document-rows.js";

const countRow = z.object({ count: z.number() });

/** The rows of the index in a SQLite file. All failures of the file become errors that say what to do. */
export class IndexFile {
  /**
   * Opens an index, and makes it if it does not exist. One that cannot be written is opened for reading.
   *
   * @param place The path of a file, which only its owner can read, or ":memory:".
   * @param extension The path of sqlite-vec; undefined for an index that is searched by words alone.
   * @throws {DocumentSearchError} if the file cannot be used. Nothing in it is changed in that case.
   */
  static async open(place: string, extension?: string): Promise<IndexFile> {
    const program = workerProgram(new URL("./index-worker.mjs", import.meta.url));
    const connection = await guard(place, SqliteConnection.open(place, { program, extension, orReadOnly: true }));
    return prepared(new IndexFile(place, connection), (file) => file.#prepare());
  }

  private constructor(
    readonly place: string,
    private readonly connection: SqliteConnection,
  ) {}

  get isReadOnly(): boolean {
    return this.connection.isReadOnly;
  }

  /** Returns the rows of a query. */
  async read(sql: string, ...parameters: Cell[]): Promise<unknown[]> {
    const [found = []] = await this.readAll([{ sql, parameters }]);
    return found;
  }

  /** Returns the rows of queries, all on one state of the index. */
  readAll(queries: readonly SqliteStatement[]): Promise<unknown[][]> {
    return guard(this.place, this.connection.read(queries));
  }

  /** Counts rows. @param what What follows "from" in the query. */
  async count(what: string, ...parameters: Cell[]): Promise<number> {
    const [found] = z.array(countRow).parse(await this.read(`select count(*) as count from ${what}`, ...parameters));
    return found?.count ?? 0;
  }

  /**
   * Runs statements as one transaction, and returns the rows of the last one. A loss of power may undo it. The rows are made
   * again from the documents.
   */
  async write(statements: readonly SqliteStatement[]): Promise<unknown[]> {
    return (await guard(this.place, this.connection.write(statements, { synced: false }))).at(-1) ?? [];
  }

  /** Puts documents in the places of older ones, as one transaction. They are cut in the thread of the index. */
  async put(documents: readonly NewDocument[]): Promise<void> {
    await guard(this.place, this.connection.write({ made: documents }, { synced: false }));
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  async #prepare(): Promise<void> {
    const { application, version, objects } = await guard(this.place, readHeader(this.connection));
    if (objects.length > 0) {
      if (application !== applicationId) throw unusable(this.place, foreign);
      if (version !== layoutVersion) throw unusable(this.place, otherVersion);
      refuseStrangers(objects, [...layout, ...tablesOfWords], () => unusable(this.place, changed));
      return;
    }
    await this.read("pragma journal_mode = wal");
    await this.write(layout.map((sql) => ({ sql, parameters: [] })));
  }
}

const foreign = "it belongs to another program. Give the path of another file.";
const otherVersion = "another version of Glassloop made it. Delete it: it is made again from the documents.";
const changed = "it was changed by another program. Delete it: it is made again from the documents.";
const damaged = "it is damaged. Delete it: it is made again from the documents.";

function unusable(place: string, reason: string, options?: ErrorOptions): DocumentSearchError {
  return new DocumentSearchError(place, `the index "${place}": ${reason}`, options);
}

/** Throws a failure of the database or of its file as an error that says what to do. */
async function guard<T>(place: string, promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    const reason = isDamaged(error) ? damaged : explainSqlite(error);
    throw reason === undefined ? error : unusable(place, reason, { cause: error });
  }
}

/** The application id in the header of a SQLite file that is an index: "GLSD". */
const applicationId = 0x47_4c_53_44;
/** Raise it with every change of the tables. An index of another version is refused. */
const layoutVersion = 4;

/** The statements that make the tables. Another process may do the same at the same time. */
const layout = [
  "create table if not exists settings (name text primary key, value text not null)",
  "create table if not exists folders (id integer primary key, path text not null unique)",
  `create table if not exists documents (
    id integer primary key autoincrement, folder integer not null, path text not null, modified real not null,
    size integer not null, title text not null, skipped text, unique (folder, path)
  )`,
  "create index if not exists skipped_documents on documents (folder, path) where skipped is not null",
  "create table if not exists fields (document integer not null, name text not null, value text not null)",
  "create index if not exists fields_of_document on fields (document, name, value)",
  // Ids are never used again: a vector may be on its way for a passage that was removed.
  `create table if not exists passages (
    id integer primary key autoincrement, folder integer not null, document integer not null, section integer not null,
    vector integer, headings text not null, text text not null
  )`,
  "create index if not exists passages_of_document on passages (document)",
  "create index if not exists passages_without_vector on passages (folder, id) where vector is null",
  `create virtual table if not exists passage_words using fts5 (
    names, headings, text, content='', contentless_delete=1,
    tokenize="porter unicode61 remove_diacritics 0 categories 'L* M* N* Co'"
  )`,
  "create table if not exists spellings (word text primary key, reversed text not null) without rowid",
  "create index if not exists spellings_reversed on spellings (reversed)",
  "create table if not exists vectors (id integer primary key autoincrement, key text not null unique, vector blob not null)",
  "create table if not exists unused_vectors (vector integer primary key, since real not null)",
  // The signs of the vectors stand by themselves: all of them are looked at in each search.
  `create table if not exists vector_signs (
    folder integer not null, document integer not null, passage integer not null, signs blob not null,
    primary key (folder, document, passage)
  ) without rowid`,
  `pragma application_id = ${applicationId}`,
  `pragma user_version = ${layoutVersion}`,
];

/** The tables that SQLite makes for `passage_words`. */
const tablesOfWords = [
  "create table 'passage_words_config'(k primary key, v) without rowid",
  "create table 'passage_words_data'(id integer primary key, block blob)",
  "create table 'passage_words_docsize'(id integer primary key, sz blob, origin integer)",
  "create table 'passage_words_idx'(segid, term, pgno, primary key(segid, term)) without rowid",
];
