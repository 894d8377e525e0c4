import type { MarkedToken, Tokens } from "marked";
import stringWidth from "string-width";
import type { Colours } from "../colours.js";
import { renderInline } from "./render-inline.js";
import { knownTokens } from "./tokens.js";

/** Writes a block of Markdown for a terminal; empty for white space. */
export function renderBlock(block: MarkedToken, colours: Colours, columns: number): string {
  switch (block.type) {
    case "space":
      return "";
    case "heading":
      return colours.bold(renderInline(block.tokens, colours));
    case "paragraph":
      return renderInline(block.tokens, colours);
    case "text":
      return renderInline(block.tokens ?? [block], colours);
    case "code":
      return colours.cyan(indented(block.text, "    "));
    case "blockquote":
      return indented(renderBlocks(block, colours, columns - 2), colours.dim("│ "));
    case "list":
      return block.items
        .map((item, index) => renderItem(item, marker(block, index), colours, columns))
        .join(block.loose ? "\n\n" : "\n");
    case "table":
      return renderTable(block, colours, columns);
    case "hr":
      return colours.dim("─".repeat(Math.min(columns, 40)));
    default:
      return block.raw.trim();
  }
}

function renderBlocks({ tokens }: Tokens.Blockquote, colours: Colours, columns: number): string {
  return knownTokens(tokens)
    .map((block) => renderBlock(block, colours, columns))
    .filter((text) => text !== "")
    .join("\n\n");
}

function marker({ ordered, start }: Tokens.List, index: number): string {
  return ordered ? `${Number(start) + index}. ` : "• ";
}

function renderItem({ tokens }: Tokens.ListItem, mark: string, colours: Colours, columns: number) {
  const known = knownTokens(tokens);
  const box = known.find(({ type }) => type === "checkbox")?.raw ?? "";
  const parts = known
    .filter(({ type }) => type !== "checkbox")
    .map((block) => renderBlock(block, colours, columns - mark.length))
    .filter((text) => text !== "");
  return `${mark}${box}${indented(parts.join("\n"), " ".repeat(mark.length)).trimStart()}`;
}

function indented(text: string, indent: string): string {
  return text
    .split("\n")
    .map((line) => indent + line)
    .join("\n");
}

/** Writes a table in columns. A table that is wider than the screen becomes a list: a line for each cell. */
function renderTable({ header, rows, align }: Tokens.Table, colours: Colours, columns: number): string {
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
