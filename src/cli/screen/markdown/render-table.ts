import type { Tokens } from "marked";
import stringWidth from "string-width";
import type { Colours } from "../colours.js";
import { renderInline } from "./render-inline.js";

/** Writes a table in columns. A table that is wider than the screen becomes a list: a line for each cell. */
export function renderTable({ header, rows, align }: Tokens.Table, colours: Colours, columns: number): string {
  const text = ({ tokens }: Tokens.TableCell) => renderInline(tokens, colours);
  const titles = header.map((cell) => colours.bold(text(cell)));
  const cells = rows.map((row) => row.map(text));
  const widths = titles.map((title, index) =>
    Math.max(...[title, ...cells.map((row) => row[index] ?? "")].map((cell) => stringWidth(cell))),
  );
  if (widths.reduce((sum, width) => sum + width + 2, 0) > columns) {
    return cells.map((row) => row.map((cell, index) => `${titles[index]}: ${cell}`).join("\n")).join("\n\n");
  }
  const line = (row: readonly string[]) =>
    row
      .map((cell, index) => padded(cell, widths[index] ?? 0, align[index] ?? "left"))
      .join("  ")
      .trimEnd();
  const rule = colours.dim(widths.map((width) => "─".repeat(width)).join("  "));
  return [line(titles), rule, ...cells.map(line)].join("\n");
}

function padded(text: string, width: number, align: "left" | "right" | "center"): string {
  const space = width - stringWidth(text);
  const left = { left: 0, right: space, center: Math.floor(space / 2) }[align];
  return " ".repeat(left) + text + " ".repeat(space - left);
}
