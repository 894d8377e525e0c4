import { readNotebook } from "./notebook.js";
import { parseDocument, type UnreadDocument } from "./parsed-document.js";
import { readPdf } from "./pdf-pages.js";
import { textReaders } from "./plain-text.js";
import { serveReader } from "./reading-thread.js";
import { readTable } from "./table-rows.js";
import { readWebPage } from "./web-page.js";
import { readWordDocument } from "./word-document.js";

const readers = {
  ...textReaders,
  html: readWebPage,
  table: readTable,
  notebook: readNotebook,
  pdf: readPdf,
  word: readWordDocument,
};
serveReader((unread: UnreadDocument) => parseDocument(readers, unread));
