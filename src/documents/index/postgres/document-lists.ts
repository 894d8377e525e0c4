import type { CutDocument, DocumentCutter, NewDocument } from "../document-cutter.js";
import type { IndexedWords } from "../indexed-words.js";

/** The rows of documents for the tables, each list as JSON. */
export interface DocumentLists {
  readonly documents: string;
  readonly fields: string;
  readonly passages: string;
}

/**
 * Makes the rows of documents in the index, out of their texts.
 *
 * A worker gets the source text of this class. So the class uses nothing from outside.
 */
export class DocumentListMaker {
  constructor(
    private readonly cutter: DocumentCutter,
    private readonly words: IndexedWords,
  ) {}

  *read(documents: readonly NewDocument[]): Iterable<DocumentLists> {
    const cut = documents.map((document) => this.cutter.cut(document));
    yield {
      documents: this.json(cut.map(({ file, title, skipped }) => ({ ...file, title, skipped }))),
      fields: this.json(cut.flatMap(({ file, fields }) => fields.map((field) => ({ ...field, path: file.path })))),
      passages: this.json(cut.flatMap((document) => this.passagesOf(document))),
    };
  }

  private passagesOf({ file, passages }: CutDocument): readonly object[] {
    return passages.map(({ headings, text, section }, position) => ({
      path: file.path,
      position,
      section,
      headings: JSON.stringify(headings),
      text,
      heading_words: this.words.separated(headings.join(" ")),
      text_words: this.words.separated(text),
    }));
  }

  /** Postgres takes neither the character 0 nor halves of characters, which a cut may leave. */
  private json(rows: readonly object[]): string {
    const plain = (text: string) => text.replaceAll("\0", "").replace(/\p{Surrogate}/gu, "\ufffd");
    return JSON.stringify(rows, (_name, value: unknown) => (typeof value === "string" ? plain(value) : value));
  }
}
