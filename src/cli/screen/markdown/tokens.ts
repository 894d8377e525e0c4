import type { MarkedToken, Token } from "marked";

/** The parts of Markdown without those of extensions: there are none here. */
export function knownTokens(tokens: readonly Token[]): MarkedToken[] {
  return tokens.filter((token): token is MarkedToken => types.has(token.type));
}

const types = new Set<string>([
  "blockquote",
  "br",
  "checkbox",
  "code",
  "codespan",
  "def",
  "del",
  "em",
  "escape",
  "heading",
  "hr",
  "html",
  "image",
  "link",
  "list",
  "list_item",
  "paragraph",
  "space",
  "strong",
  "table",
  "text",
] satisfies MarkedToken["type"][]);
