import type { EncodedText } from "./encoded-text.js";
import type { FormatReader, ParsedDocument } from "./parsed-document.js";

/**
 * Reads tables of CSV and TSV. Each row becomes a line with the names of its columns: "- name: Ann, year: 1990". Each ten rows
 * get a heading with their numbers, as programs for tables show them: the names are row 1.
 */
export class TableRows implements FormatReader {
  private readonly rowsOfGroup = 10;

  constructor(private readonly bytes: EncodedText) {}

  async *read(bytes: Uint8Array): AsyncIterable<ParsedDocument> {
    const text = this.bytes.decode(bytes);
    const isText = !text.includes("\0");
    yield isText ? { kind: "markdown", text: await this.markdown(text) } : { kind: "skipped", why: "it is not a text" };
  }

  private async markdown(text: string): Promise<string> {
    const { parse } = (await import("papaparse")).default;
    const { delimiter } = parse(text.slice(0, 10_000), { preview: 10 }).meta;
    const [names = [], ...rows] = parse(text, { delimiter }).data;
    const groups: string[] = [];
    for (let start = 0; start < rows.length; start += this.rowsOfGroup) {
      const group = rows.slice(start, start + this.rowsOfGroup);
      const lines = group.map((row) => this.line(names, row)).filter((line) => line !== "");
      // The rows are paragraphs, so that passages end between them.
      if (lines.length > 0) groups.push([`# Rows ${start + 2} to ${start + 1 + group.length}`, ...lines].join("\n\n"));
    }
    return groups.length > 0 ? groups.join("\n\n") : this.line([], names);
  }

  /** Writes a row in one line. Empty cells are left out. */
  private line(names: readonly string[], row: readonly string[]): string {
    const cells = row.flatMap((cell, at) => {
      const [name = "", value] = [names[at] ?? "", cell].map((text) => text.replace(/\s+/g, " ").trim());
      return value ? [name ? `${name}: ${value}` : value] : [];
    });
    return cells.length > 0 ? `- ${cells.join(", ")}` : "";
  }
}
