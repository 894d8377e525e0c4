import type { DocumentFormat } from "./document-formats.js";
import { DocumentParser } from "./document-parser.js";
import { EncodedText } from "./encoded-text.js";
import { HtmlText } from "./html-text.js";
import { PdfPages } from "./pdf-pages.js";
import { PlainLines } from "./plain-lines.js";
import { PlainText } from "./plain-text.js";
import { serveReader } from "./serve-reader.js";
import { TableRows } from "./table-rows.js";
import { WebPage } from "./web-page.js";
import { WordDocument } from "./word-document.js";

const [bytes, lines] = [new EncodedText(), new PlainLines()];
const html = new HtmlText(lines);

serveReader(
  new DocumentParser<DocumentFormat>({
    markdown: new PlainText(bytes, "markdown"),
    text: new PlainText(bytes, "text"),
    html: new WebPage(bytes, html),
    table: new TableRows(bytes),
    pdf: new PdfPages(lines),
    word: new WordDocument(html),
  }),
);
