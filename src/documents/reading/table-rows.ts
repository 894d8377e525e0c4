import { decodeText, noText } from "./encoded-text.js";
import type { ParsedDocument } from "./parsed-document.js";

const rowsOfGroup = 10;

/**
 * Reads tables of CSV and TSV. Each row becomes a line with the names of its columns: "- name: Ann, year: 1990". Each ten rows
 * get a heading with their numbers, as programs for tables show them: the names are row 1.
 */
export async function* readTable(bytes: Uint8Array): AsyncIterable<ParsedDocument> {
  const text = decodeText(bytes);
  const isText = text !== undefined && !text.includes("\0");
  yield isText ? { kind: "markdown", text: await markdownOf(text) } : noText(bytes);
}

async function markdownOf(text: string): Promise<string> {
  const { parse } = (await import("papaparse")).default;
  const { delimiter } = parse(text.slice(0, 10_000), { preview: 10, skipEmptyLines: true }).meta;
  const [names = [], ...rows] = parse(text, { delimiter }).data;
  const groups: string[] = [];
  for (let start = 0; start < rows.length; start += rowsOfGroup) {
    const group = rows.slice(start, start + rowsOfGroup);
    const lines = group.map((row) => lineOf(names, row)).filter((line) => line !== "");
    // The rows are paragraphs, so that passages end between them.
    if (lines.length > 0) groups.push([`# Rows ${start + 2} to ${start + 1 + group.length}`, ...lines].join("\n\n"));
  }
  return groups.length > 0 ? groups.join("\n\n") : lineOf([], names);
}

/** Writes a row in one line. Empty cells are left out. */
function lineOf(names: readonly string[], row: readonly string[]): string {
  const cells = row.flatMap((cell, at) => {
    const [name = "", value] = [names[at] ?? "", cell].map((text) => text.replace(/\s+/g, " ").trim());
    return value ? [name ? `${name}: ${value}` : value] : [];
  });
  return cells.length > 0 ? `- ${cells.join(", ")}` : "";
}
