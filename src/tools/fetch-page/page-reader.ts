import type { EncodedText } from "../../documents/reading/encoded-text.js";
import type { HtmlText, TitledText } from "../../documents/reading/html-text.js";

/** A page as it was fetched, and how much of it is wanted. */
export interface FetchedPage {
  readonly address: string;
  /** Its media type, with parameters such as the charset. */
  readonly type: string;
  readonly bytes: Uint8Array;
  readonly maxCharacters: number;
}

/** The text of a page, up to a number of characters. */
export interface PageText extends TitledText {
  /** The number of characters of the whole text. */
  readonly length: number;
  /** Whether it is the bare text of a page in HTML, without its headings, links and tables. */
  readonly isBare: boolean;
}

/** Reads a page in a worker thread. */
export class PageReader {
  constructor(
    private readonly bytes: EncodedText,
    private readonly html: HtmlText,
  ) {}

  /** Gives the bare text first, which takes no longer than the page is long. Then it gives Markdown. */
  async *read(page: FetchedPage): AsyncIterable<PageText> {
    const isHtml = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(page.type);
    const charset = this.bytes.charsetOf(page.type) ?? (isHtml ? this.bytes.saidIn(page.bytes) : undefined);
    const source = this.bytes.decode(page.bytes, charset ?? "utf-8"); // A page may be cut within a character.
    yield this.shown(page, isHtml ? this.html.bare(source) : { title: "", text: source.trim() }, isHtml);
    const better = isHtml ? await this.html.page(source, page.address) : undefined;
    if (better) yield this.shown(page, better, false);
  }

  private shown({ maxCharacters }: FetchedPage, { title, text }: TitledText, isBare: boolean): PageText {
    return { title: title.slice(0, 300), text: text.slice(0, maxCharacters), length: text.length, isBare };
  }
}
