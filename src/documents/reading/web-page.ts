import type { EncodedText } from "./encoded-text.js";
import type { HtmlText, TitledText } from "./html-text.js";
import type { FormatReader, ParsedDocument } from "./parsed-document.js";

/** Reads files of HTML. If the Markdown takes too long, there is the bare text. */
export class WebPage implements FormatReader {
  constructor(
    private readonly bytes: EncodedText,
    private readonly html: HtmlText,
  ) {}

  async *read(bytes: Uint8Array): AsyncIterable<ParsedDocument> {
    const source = this.bytes.decode(bytes, this.bytes.saidIn(bytes));
    yield this.titled("text", this.html.bare(source));
    const page = await this.html.page(source, "file:///");
    if (page) yield this.titled("markdown", page);
  }

  private titled(kind: "markdown" | "text", { title, text }: TitledText): ParsedDocument {
    return title === "" ? { kind, text } : { kind, text, title };
  }
}
