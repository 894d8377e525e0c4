/** What a file says. */
export interface DocumentText {
  /** Whether the text is Markdown, or has no markup. */
  readonly kind: "markdown" | "text";
  readonly text: string;
  /** The title that the file itself gives beside its text. */
  readonly title?: string;
}

/** A file that is not read. */
export interface SkippedDocument {
  readonly kind: "skipped";
  /** The reason, as the end of a sentence: "it needs a password". */
  readonly why: string;
}

/** The result of reading a file. */
export type ParsedDocument = DocumentText | SkippedDocument;

/** Reads the bytes of files of one format. It gives one result after the other. Each is better than the one before. */
export interface FormatReader {
  read(bytes: Uint8Array): Iterable<ParsedDocument> | AsyncIterable<ParsedDocument>;
}
