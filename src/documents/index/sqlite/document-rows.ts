import type { SqliteStatement } from "../../../sqlite/sqlite-server.js";
import type { CutDocument, CutPassage, DocumentCutter, NewDocument } from "../document-cutter.js";
import type { IndexedWords } from "../indexed-words.js";

/**
 * Makes the rows of documents in the index, out of their texts.
 *
 * A worker gets the source text of this class. So the class uses nothing from outside.
 */
export class DocumentRows {
  constructor(
    private readonly cutter: DocumentCutter,
    private readonly words: IndexedWords,
  ) {}

  /** Makes the statements that put documents in the places of older ones of the same paths. */
  statements(documents: readonly NewDocument[]): readonly SqliteStatement[] {
    return documents.flatMap((document) => this.rowsOf(this.cutter.cut(document)));
  }

  /** Makes the statements that remove a document. */
  forget(folder: number, path: string): readonly SqliteStatement[] {
    const document = "(select id from documents where folder = ?1 and path = ?2)";
    return [
      `delete from passage_words where rowid in (select id from passages where document = ${document})`,
      `delete from vector_signs where folder = ?1 and document = ${document}`,
      `delete from passages where document = ${document}`,
      `delete from fields where document = ${document}`,
      "delete from documents where folder = ?1 and path = ?2",
    ].map((sql) => ({ sql, parameters: [folder, path] }));
  }

  private rowsOf({ folder, file, title, fields, skipped, passages }: CutDocument): readonly SqliteStatement[] {
    return [
      ...this.forget(folder, file.path),
      {
        sql: "insert into documents (folder, path, modified, size, title, skipped) values (?1, ?2, ?3, ?4, ?5, ?6)",
        parameters: [folder, file.path, file.modified, file.size, title, skipped],
      },
      ...fields.map(({ name, value }) => ({
        sql: `insert into fields (document, name, value)
          values ((select id from documents where folder = ?1 and path = ?2), ?3, ?4)`,
        parameters: [folder, file.path, name, value],
      })),
      ...passages.flatMap((passage) => this.passageRows(folder, file.path, passage)),
    ];
  }

  private passageRows(folder: number, path: string, passage: CutPassage): readonly SqliteStatement[] {
    const { section, headings, text } = passage;
    return [
      {
        sql: `insert into passages (folder, document, section, headings, text)
          values (?1, (select id from documents where folder = ?1 and path = ?2), ?3, ?4, ?5)`,
        parameters: [folder, path, section, JSON.stringify(headings), text],
      },
      {
        sql: "insert into passage_words (rowid, headings, text) values (last_insert_rowid(), ?1, ?2)",
        parameters: [this.words.searchable(headings.join("\n")), this.words.searchable(text)],
      },
    ];
  }
}
