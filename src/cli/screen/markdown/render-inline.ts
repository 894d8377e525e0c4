import type { MarkedToken, Token, Tokens } from "marked";
import type { Colours } from "../colours.js";
import { screenText } from "../screen-text.js";
import { knownTokens } from "./tokens.js";

/** Writes the parts of a line. */
export function renderInline(tokens: readonly Token[], colours: Colours): string {
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
