import { charsetIn, charsetOf, decodeText } from "../../documents/reading/encoded-text.js";
import { articleIn, bareText, type TitledText } from "../../documents/reading/html-text.js";
import { serveReader } from "../../documents/reading/reading-thread.js";

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

serveReader(readPage);

/** Gives the bare text first, which takes no longer than the page is long. Then it gives Markdown. */
async function* readPage(page: FetchedPage): AsyncIterable<PageText> {
  const isHtml = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(page.type);
  const charset = charsetOf(page.type) ?? (isHtml ? charsetIn(page.bytes) : undefined);
  const source = decodeText(page.bytes, charset) ?? new TextDecoder().decode(page.bytes);
  yield shown(page, isHtml ? bareText(source) : { title: "", text: source.trim() }, isHtml);
  const better = isHtml ? await articleIn(source, page.address) : undefined;
  if (better) yield shown(page, better, false);
}

function shown({ maxCharacters }: FetchedPage, { title, text }: TitledText, isBare: boolean): PageText {
  return { title: title.slice(0, 300), text: text.slice(0, maxCharacters), length: text.length, isBare };
}
