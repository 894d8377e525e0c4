import { chmodSync, closeSync, constants, fstatSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type { Database } from "libsql";
import { z } from "zod";
import { DocumentSearchError } from "../../base/errors.js";
import { makeFolder } from "../../base/make-folder.js";
import type { DocumentFile } from "./document-files.js";
import type { Passage } from "./passages.js";
import { searchableText } from "./search-words.js";

/** The application id in the header of a SQLite file that is an index: "GLSD". */
const applicationId = 0x47_4c_53_44;
const waitMs = 5000;

const layout = `
  create table documents (
    id integer primary key, folder text not null, path text not null, modified real not null, size integer not null,
    skipped text, unique (folder, path)
  );
  create table passages (id integer primary key, document integer not null, headings text not null, text text not null);
  create index passages_of_document on passages (document);
  create virtual table passage_words using fts5 (
    headings, text, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2'
  );
  pragma application_id = ${applicationId};
  pragma user_version = 1;
`;

const documentRow = z.object({
  id: z.number(),
  path: z.string(),
  modified: z.number(),
  size: z.number(),
  skipped: z.string().nullable(),
});
const foundRow = z.object({ path: z.string(), headings: z.string(), text: z.string() });
const headerRow = z.object({ application: z.number(), version: z.number(), tables: z.number() });

/** A document in the index. `skipped` is the reason why it has no passages. */
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
    const { default: Libsql } = await import("libsql");
    return guard(place, () => {
      if (place !== ":memory:") prepareFile(place);
      const database = new Libsql(place, { timeout: waitMs });
      try {
        prepareTables(place, database);
        // A loss of power may undo the last rows. They are made again from the documents.
        database.exec("pragma synchronous = normal");
        return new DocumentIndex(place, database);
      } catch (error) {
        database.close();
        throw error;
      }
    });
  }

  private constructor(
    private readonly place: string,
    private readonly database: Database,
  ) {}

  /** Returns the documents of a folder, as they were when they were last read. */
  documents(folder: string): readonly IndexedDocument[] {
    const sql = "select id, path, modified, size, skipped from documents where folder = ?";
    return guard(this.place, () => z.array(documentRow).parse(this.database.prepare(sql).all(folder)));
  }

  /** Stores a document. It replaces the document with the same path. */
  put(folder: string, file: DocumentFile, passages: readonly Passage[], skipped?: string): void {
    this.#write(() => {
      this.#forget(folder, file.path);
      const { lastInsertRowid: document } = this.database
        .prepare("insert into documents (folder, path, modified, size, skipped) values (?, ?, ?, ?, ?)")
        .run(folder, file.path, file.modified, file.size, skipped ?? null);
      const insert = this.database.prepare("insert into passages (document, headings, text) values (?, ?, ?)");
      const insertWords = this.database.prepare("insert into passage_words (rowid, headings, text) values (?, ?, ?)");
      for (const { headings, text } of passages) {
        const { lastInsertRowid } = insert.run(document, JSON.stringify(headings), text);
        insertWords.run(lastInsertRowid, searchableText(headings.join("\n")), searchableText(text));
      }
    });
  }

  remove(folder: string, path: string): void {
    this.#write(() => this.#forget(folder, path));
  }

  /**
   * Finds the passages that answer a query best, by BM25. A word in a heading counts four times as much as in the text.
   *
   * @param query A query in the language of SQLite's FTS5.
   * @param limit The largest number of passages.
   */
  search(folder: string, query: string, limit: number): readonly FoundPassage[] {
    const sql = `
      select documents.path, passages.headings, passages.text from passage_words
      join passages on passages.id = passage_words.rowid join documents on documents.id = passages.document
      where passage_words match ? and documents.folder = ?
      order by bm25(passage_words, 4.0, 1.0), documents.path, passages.id limit ?`;
    const rows = guard(this.place, () => z.array(foundRow).parse(this.database.prepare(sql).all(query, folder, limit)));
    return rows.map((row) => ({ ...row, headings: z.array(z.string()).parse(JSON.parse(row.headings)) }));
  }

  /** Ends the connection. Copies the -wal file into the database first, unless another process uses it. */
  close(): void {
    try {
      this.database.exec("pragma wal_checkpoint(truncate)");
    } catch {
      // The rows are safe in the -wal file, and are read from there.
    }
    this.database.close();
  }

  #forget(folder: string, path: string): void {
    const passages =
      "select id from passages where document in (select id from documents where folder = ? and path = ?)";
    this.database.prepare(`delete from passage_words where rowid in (${passages})`).run(folder, path);
    this.database.prepare(`delete from passages where id in (${passages})`).run(folder, path);
    this.database.prepare("delete from documents where folder = ? and path = ?").run(folder, path);
  }

  #write(change: () => void): void {
    guard(this.place, () => this.database.transaction(change).immediate());
  }
}

function prepareFile(path: string): void {
  makeFolder(dirname(path));
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    if (fstatSync(file).size === 0) chmodSync(path, 0o600);
  } finally {
    closeSync(file);
  }
}

function prepareTables(place: string, database: Database): void {
  if (isReady(place, database)) return;
  database
    .transaction(() => {
      if (!isReady(place, database)) database.exec(layout);
    })
    .immediate();
  // Another process may set the same mode. The last one sets it for all.
  database.exec("pragma journal_mode = wal");
}

function isReady(place: string, database: Database): boolean {
  const sql = `select (select application_id from pragma_application_id) as application,
    (select user_version from pragma_user_version) as version, (select count(*) from sqlite_master) as tables`;
  const { application, version, tables } = headerRow.parse(database.prepare(sql).get());
  if (tables === 0) return false;
  if (application === applicationId && version === 1) return true;
  const reason = application === applicationId ? "is of another version of Glassloop" : "belongs to another program";
  throw new DocumentSearchError(place, `the index "${place}" ${reason}. Give the path of another file.`);
}

/** Runs an action. Turns an error of the database or of its file into one that says what to do. */
function guard<T>(place: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof DocumentSearchError) throw error;
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    throw new DocumentSearchError(place, `the index "${place}" ${reasonOf(code)}`, { cause: error });
  }
}

function reasonOf(code: string): string {
  if (code.startsWith("SQLITE_BUSY")) return "is being written by another process. Search again.";
  if (code.startsWith("SQLITE_NOTADB")) return "is not a SQLite database. Give the path of another file.";
  if (code.startsWith("SQLITE_CORRUPT")) return "is damaged. Delete it: it is made again from the documents.";
  if (code.startsWith("SQLITE_FULL") || code === "ENOSPC") return "cannot grow, as the disk is full. Make room.";
  return "cannot be opened or written. Check its path and its rights, or give another one.";
}
