import { Lexer, type MarkedToken, type Token, type TokensList } from "marked";

/** How deep lists and quotes are read in one another. */
const DEEPEST = 12;
/** How many signs of emphasis and links one piece may have. The time for them grows with their square in a hostile text. */
const MOST_SIGNS = 400;
const signs = /[*_~`[<]/g;

/** Marked's lexer for texts of anybody: what is nested too deep, or has too many signs, is text. */
class SafeLexer extends Lexer {
  #depth = 0;

  override blockTokens(source: string, tokens?: Token[], lastParagraphClipped?: boolean): Token[];
  override blockTokens(source: string, tokens?: TokensList, lastParagraphClipped?: boolean): TokensList;
  override blockTokens(source: string, tokens: Token[] = [], lastParagraphClipped?: boolean): Token[] {
    if (this.#depth >= DEEPEST) return withText(tokens, source);
    this.#depth += 1;
    try {
      return super.blockTokens(source, tokens, lastParagraphClipped);
    } finally {
      this.#depth -= 1;
    }
  }

  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    const isHostile = (source.match(signs)?.length ?? 0) > MOST_SIGNS;
    return isHostile ? withText(tokens, source) : super.inlineTokens(source, tokens);
  }
}

function withText(tokens: Token[], text: string): Token[] {
  tokens.push({ type: "text", raw: text, text });
  return tokens;
}

/** Splits a text into its blocks, each with the blank lines after it. */
export function splitBlocks(text: string): string[] {
  const blocks: string[] = [];
  for (const { type, raw } of new SafeLexer().blockTokens(text, [])) {
    const last = blocks.pop();
    if (type === "space" && last !== undefined) blocks.push(last + raw);
    else blocks.push(...(last === undefined ? [] : [last]), raw);
  }
  return blocks;
}

/** Reads the tokens of a block. */
export function lexBlock(block: string): Token[] {
  return new SafeLexer().lex(block);
}

const kinds =
  "blockquote br checkbox code codespan def del em escape heading hr html image link list paragraph space strong table text";
const known = new Set(kinds.split(" "));

/** Tells whether a token is one of marked's own, and none of an extension. */
export function isKnown(token: Token): token is MarkedToken {
  return known.has(token.type);
}
