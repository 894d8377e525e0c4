import { decodeText, noText } from "./encoded-text.js";
import type { ParsedDocument } from "./parsed-document.js";

/** Reads files that are their text: Markdown and plain text. */
export const textReaders = {
  markdown: (bytes: Uint8Array) => [readText(bytes, "markdown")],
  text: (bytes: Uint8Array) => [readText(bytes, "text")],
};

function readText(bytes: Uint8Array, kind: "markdown" | "text"): ParsedDocument {
  const text = decodeText(bytes);
  return text === undefined || text.includes("\0") ? noText(bytes) : { kind, text };
}
