import { charsetIn, decodeText, noText } from "./encoded-text.js";
import { articleIn, bareText, type TitledText } from "./html-text.js";
import type { ParsedDocument } from "./parsed-document.js";

/** Reads files of HTML. If the Markdown takes too long, there is the bare text. */
export async function* readWebPage(bytes: Uint8Array): AsyncIterable<ParsedDocument> {
  const source = decodeText(bytes, charsetIn(bytes));
  if (source === undefined) {
    yield noText(bytes);
    return;
  }
  yield titled("text", bareText(source));
  const page = await articleIn(source, "file:///");
  if (page) yield titled("markdown", page);
}

function titled(kind: "markdown" | "text", { title, text }: TitledText): ParsedDocument {
  return title === "" ? { kind, text } : { kind, text, title };
}
