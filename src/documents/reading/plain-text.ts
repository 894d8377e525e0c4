import type { EncodedText } from "./encoded-text.js";
import type { FormatReader, ParsedDocument } from "./parsed-document.js";

/** Reads files that are their text: Markdown and plain text. */
export class PlainText implements FormatReader {
  constructor(
    private readonly bytes: EncodedText,
    private readonly kind: "markdown" | "text",
  ) {}

  *read(bytes: Uint8Array): Iterable<ParsedDocument> {
    const text = this.bytes.decode(bytes);
    yield text.includes("\0") ? { kind: "skipped", why: "it is not a text" } : { kind: this.kind, text };
  }
}
