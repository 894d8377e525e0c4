import type { SqliteStatement } from "../../sqlite/sqlite-server.js";
import type { DocumentFile } from "./document-files.js";
import type { IndexedWords } from "./indexed-words.js";
import type { Passage, PassageCutter } from "./passage-cutter.js";

/** A document for the index. */
export interface NewDocument {
  readonly folder: string;
  readonly file: DocumentFile;
  /** Left out for a document that cannot be searched. */
  readonly text?: string;
  readonly isMarkdown: boolean;
  /** The reason why the document cannot be searched. */
  readonly skipped?: string;
}

/**
 * Makes the rows of a document in the index, out of its text.
 *
 * A worker gets the source text of this class. So the class uses nothing from outside.
 */
export class DocumentRows {
  private readonly mostPassages = 10_000;

  constructor(
    private readonly cutter: PassageCutter,
    private readonly words: IndexedWords,
  ) {}

  /** Makes the statements that put a document in the place of an older one of the same path. */
  statements({ folder, file, text, isMarkdown, skipped }: NewDocument): readonly SqliteStatement[] {
    const passages = text === undefined ? [] : this.cutter.cut(text, isMarkdown);
    const left = passages.length > this.mostPassages ? "after its first 10,000 passages" : skipped;
    return [
      ...this.forget(folder, file.path),
      {
        sql: "insert into documents (folder, path, modified, size, skipped) values (?1, ?2, ?3, ?4, ?5)",
        parameters: [folder, file.path, file.modified, file.size, left ?? null],
      },
      ...passages.slice(0, this.mostPassages).flatMap((passage) => this.passageRows(folder, file.path, passage)),
    ];
  }

  /** Makes the statements that remove a document. */
  forget(folder: string, path: string): readonly SqliteStatement[] {
    const passages =
      "select id from passages where document in (select id from documents where folder = ?1 and path = ?2)";
    return [
      `delete from passage_words where rowid in (${passages})`,
      `delete from passages where id in (${passages})`,
      "delete from documents where folder = ?1 and path = ?2",
    ].map((sql) => ({ sql, parameters: [folder, path] }));
  }

  private passageRows(folder: string, path: string, { headings, text }: Passage): readonly SqliteStatement[] {
    return [
      {
        sql: `insert into passages (document, headings, text)
          values ((select id from documents where folder = ?1 and path = ?2), ?3, ?4)`,
        parameters: [folder, path, JSON.stringify(headings), text],
      },
      {
        sql: "insert into passage_words (rowid, headings, text) values (last_insert_rowid(), ?1, ?2)",
        parameters: [this.words.searchable(headings.join("\n")), this.words.searchable(text)],
      },
    ];
  }
}
