import type { MarkedToken, Token, Tokens } from "marked";
import stringWidth from "string-width";
import type { Colours } from "../colours.js";
import { screenText } from "../screen-text.js";

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

/** Writes the parts of a line. */
function renderInline(tokens: readonly Token[], colours: Colours): string {
  const known = knownTokens(tokens);
  return known
    .map((token, index) => {
      const isInWord = /\w$/.test(known[index - 1]?.raw ?? "") && /^\w/.test(known[index + 1]?.raw ?? "");
      // The stars of 2*3*4 are no emphasis.
      return isInWord && (token.type === "em" || token.type === "strong") ? token.raw : renderPart(token, colours);
    })
    .join("");
}

function renderPart(token: MarkedToken, colours: Colours): string {
  switch (token.type) {
    case "strong":
      return colours.bold(renderInline(token.tokens, colours));
    case "em":
      return colours.italic(renderInline(token.tokens, colours));
    case "del":
      return colours.strikethrough(renderInline(token.tokens, colours));
    case "codespan":
      return colours.cyan(token.text);
    case "link":
      return renderLink(token, colours);
    case "image":
      return `${screenText(token.text)}${colours.dim(` (${screenText(token.href)})`)}`;
    case "br":
      return "\n";
    case "escape":
      return token.text;
    case "text":
      return token.tokens ? renderInline(token.tokens, colours) : plainCharacters(token.text);
    default:
      return token.raw;
  }
}

/** Writes a link with its address. An address is all there is of some links; `[1]` is a mark of a source. */
function renderLink({ raw, href, tokens }: Tokens.Link, colours: Colours): string {
  if (!raw.endsWith(")")) return raw;
  return `${renderInline(tokens, colours)}${colours.dim(` (${screenText(href)})`)}`;
}

const characters: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&nbsp;": " ",
};

/** Writes characters that Markdown names. The library reads names by number, such as that of a control character. */
function plainCharacters(text: string): string {
  return screenText(text).replace(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (name) => characters[name] ?? name);
}

/** The parts of Markdown without those of extensions: there are none here. */
export function knownTokens(tokens: readonly Token[]): MarkedToken[] {
  return tokens.filter((token): token is MarkedToken => types.has(token.type));
}

const types = new Set(
  (
    "blockquote br checkbox code codespan def del em escape heading hr html image link list list_item paragraph space " +
    "strong table text"
  ).split(" "),
);
