import type { DocumentFormat } from "./document-formats.js";

/** What a file says. */
interface DocumentText {
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

/** Parses the bytes of files of one format. Yields results, each better than the one before. */
type FormatReader = (bytes: Uint8Array) => Iterable<ParsedDocument> | AsyncIterable<ParsedDocument>;

/** A file to parse. */
export interface UnreadDocument<Format extends DocumentFormat = DocumentFormat> {
  readonly format: Format;
  readonly bytes: Uint8Array;
  readonly maxCharacters: number;
}

/** Reads a file with the reader of its format. What it gives is not empty, and not too long. */
export async function* parseDocument<Format extends DocumentFormat>(
  readers: Readonly<Record<Format, FormatReader>>,
  { format, bytes, maxCharacters }: UnreadDocument<Format>,
): AsyncIterable<ParsedDocument> {
  for await (const parsed of readers[format](bytes)) yield checked(parsed, maxCharacters);
}

function checked(parsed: ParsedDocument, maxCharacters: number): ParsedDocument {
  if (parsed.kind === "skipped") return parsed;
  if (parsed.text.trim() === "") return { kind: "skipped", why: "it has no text" };
  if (parsed.text.length <= maxCharacters) return parsed;
  return { kind: "skipped", why: `its text has more than ${maxCharacters.toLocaleString("en")} characters` };
}
