import { z } from "zod";
import { DocumentSearchError } from "../../base/errors.js";
import { forgetDocument, type NewDocument } from "./document-rows.js";
import { IndexFile } from "./index-file.js";
import { PassageSearch } from "./passage-search.js";
import { VectorTable, vectorExtension } from "./vector-table.js";

const documentRow = z.object({
  path: z.string(),
  modified: z.number(),
  size: z.number(),
  skipped: z.string().nullable(),
});
const skippedRow = z.object({ path: z.string(), skipped: z.string() });
const idRow = z.object({ id: z.number() });
const versionRow = z.object({ data_version: z.number() });

/** A document in the index. `skipped` tells what of it is not in the index. */
export type IndexedDocument = Readonly<z.output<typeof documentRow>>;

/** A document that is not in the index, or only a part of it, and the reason. */
export type SkippedFile = Readonly<z.output<typeof skippedRow>>;

/** The largest number of rows that are read or removed at a time. More of them would stop the event loop for a while. */
const pageSize = 2_000;

/**
 * An index of the passages of folders in a SQLite file, by their words and as vectors. It can always be made again from the
 * documents. Several processes may have it open. All methods throw a {@link DocumentSearchError} if it cannot be used.
 */
export class DocumentIndex {
  readonly vectors: VectorTable;
  readonly passages: PassageSearch;

  private constructor(private readonly file: IndexFile) {
    this.vectors = new VectorTable(file);
    this.passages = new PassageSearch(file);
  }

  /**
   * Opens an index, and makes it if it does not exist.
   *
   * @param place The path of a SQLite file, which only its owner can read, or ":memory:".
   * @param hasVectors True for an index that is also searched by meaning.
   * @throws {DocumentSearchError} if the place cannot be used. Nothing in it is changed in that case.
   */
  static async open(place: string, hasVectors = false): Promise<DocumentIndex> {
    return new DocumentIndex(await IndexFile.open(place, hasVectors ? await vectorExtension() : undefined));
  }

  /** Whether the index cannot be written. It is searched as it is then. */
  get isReadOnly(): boolean {
    return this.file.isReadOnly;
  }

  /** Returns the id of a folder in this index. One that cannot be written may have been made while its folder was elsewhere. */
  async folder(path: string): Promise<number> {
    const sql = "select id from folders where path = ?1 or ?2 and (select count(*) from folders) = 1";
    const [known] = z.array(idRow).parse(await this.file.read(sql, path, Number(this.isReadOnly)));
    if (known) return known.id;
    if (this.isReadOnly) throw this.readOnlyError(`does not have the folder "${path}"`);
    await this.file.write([{ sql: "insert or ignore into folders (path) values (?1)", parameters: [path] }]);
    return this.folder(path);
  }

  /** Tells whether the index has a folder under this very path. */
  async hasFolder(path: string): Promise<boolean> {
    return (await this.file.count("folders where path = ?1", path)) > 0;
  }

  /** Makes the error for an index that would have to be written. */
  readOnlyError(lack: string): DocumentSearchError {
    const { place } = this.file;
    const reason = `the index "${place}" cannot be written, and ${lack}. Change the rights of the index, or give another one.`;
    return new DocumentSearchError(place, reason);
  }

  /** Returns a number that changes when another connection, such as that of another process, writes into the index. */
  async version(): Promise<number> {
    const [found] = z.array(versionRow).parse(await this.file.read("pragma data_version"));
    return found?.data_version ?? 0;
  }

  /** Returns the documents of a folder by their paths, as they were when they were last read. */
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

  /** Returns the first documents of a folder that were skipped, by path. */
  async skipped(folder: number, limit: number): Promise<readonly SkippedFile[]> {
    const sql = "select path, skipped from documents where folder = ?1 and skipped is not null order by path limit ?2";
    return z.array(skippedRow).parse(await this.file.read(sql, folder, limit));
  }

  /** Counts the documents of a folder that were skipped. */
  countSkipped(folder: number): Promise<number> {
    return this.file.count("documents where folder = ?1 and skipped is not null", folder);
  }

  countPassages(folder: number): Promise<number> {
    return this.file.count("passages where folder = ?1", folder);
  }

  /** Puts documents of a folder in the places of older ones of the same paths. They are cut in a thread of their own. */
  put(documents: readonly NewDocument[]): Promise<void> {
    return this.file.put(documents);
  }

  async remove(folder: number, paths: readonly string[]): Promise<void> {
    for (let start = 0; start < paths.length; start += pageSize) {
      const page = paths.slice(start, start + pageSize);
      await this.file.write(page.flatMap((path) => forgetDocument(folder, path)));
    }
  }

  /** Ends the connection. */
  close(): Promise<void> {
    return this.file.close();
  }
}
