import type { EncodedText } from "./encoded-text.js";
import type { HtmlText, TitledText } from "./html-text.js";
import type { FormatReader, ParsedDocument } from "./parsed-document.js";

/**
 * Reads files of HTML. If the Markdown takes too long, there is the bare text.
 *
 * A worker gets the source text of this class. So the class uses nothing from outside.
 */
export class WebPage implements FormatReader {
  constructor(
    private readonly bytes: EncodedText,
    private readonly html: HtmlText,
  ) {}

  *read(bytes: Uint8Array): Iterable<ParsedDocument> {
    const source = this.bytes.decode(bytes, this.bytes.saidIn(bytes));
    yield this.titled("text", this.html.bare(source));
    const page = this.html.page(source, "file:///");
    if (page) yield this.titled("markdown", page);
  }

  private titled(kind: "markdown" | "text", { title, text }: TitledText): ParsedDocument {
    return title === "" ? { kind, text } : { kind, text, title };
  }
}
