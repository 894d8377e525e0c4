import type { MarkedToken, Tokens } from "marked";
import type { Colours } from "../colours.js";
import { renderInline } from "./render-inline.js";
import { renderTable } from "./render-table.js";
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
