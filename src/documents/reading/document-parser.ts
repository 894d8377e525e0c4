import type { DocumentFormat } from "./document-formats.js";
import type { FormatReader, ParsedDocument } from "./parsed-document.js";

/** A file for the parser. */
export interface UnreadDocument<Format extends DocumentFormat = DocumentFormat> {
  readonly format: Format;
  readonly bytes: Uint8Array;
  readonly maxCharacters: number;
}

/** Reads files of some formats. What it gives is not empty, and not too long. */
export class DocumentParser<Format extends DocumentFormat = DocumentFormat> {
  constructor(private readonly readers: Readonly<Record<Format, FormatReader>>) {}

  async *read({ format, bytes, maxCharacters }: UnreadDocument<Format>): AsyncIterable<ParsedDocument> {
    for await (const parsed of this.readers[format].read(bytes)) yield this.checked(parsed, maxCharacters);
  }

  private checked(parsed: ParsedDocument, maxCharacters: number): ParsedDocument {
    if (parsed.kind === "skipped") return parsed;
    if (parsed.text.trim() === "") return { kind: "skipped", why: "it has no text" };
    if (parsed.text.length <= maxCharacters) return parsed;
    return { kind: "skipped", why: `its text has more than ${maxCharacters.toLocaleString("en")} characters` };
  }
}
