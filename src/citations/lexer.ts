import { citationPattern } from "./citation-text.js";
import { openingMarks, quoteEnd } from "./quotation-marks.js";

/**
 * A part of an answer:
 *
 * - `text` has no white space and no quote. `blank` is white space in a paragraph.
 * - `fixed` is code, a formula, or brackets that are no citation. Nothing in it changes.
 * - `citation` has brackets with numbers: the `blanks` before them, and the text `inside`.
 * - `quote` is a quote with its marks.
 * - `break` is a line break that ends a paragraph, an item of a list or a row of a table.
 */
export type Token =
  | { readonly kind: "text" | "blank" | "fixed" | "quote" | "break"; readonly text: string }
  | { readonly kind: "citation"; readonly text: string; readonly blanks: string; readonly inside: string };

// Each pattern has a limit, so that a part that never ends holds back little, and the time stays linear.
const citation = new RegExp(citationPattern, "y");
const openCitation = /[^\S\n]{0,20}(?:\[(?:[\d,;–—-]|[^\S\n]){0,460})?$/y;
const code = /(`{1,20})(?!`)[^\n]{1,500}?(?<!`)\1(?!`)/y;
const openCode = /`{1,20}(?:(?!`)[^\n]{0,540})?$/y;
const formula =
  /\$\$[^$]{1,500}\$\$|\$(?=[^\s\d])[^$\n]{1,200}(?<=\S)\$(?!\d)|\\\([^\n]{1,200}?\\\)|\\\[[\s\S]{1,300}?\\\]/y;
const openFormula = /\$(?:\$[^$]{0,500}\$?|(?=[^\s\d])[^$\n]{1,200}\$?)?$|\\(?:\([^\n]{0,202}|\[[\s\S]{0,302})?$/y;
const fence = /[^\S\n]{0,20}(`{3,20}(?=[^`\n]*$)|~{3,20})[^\n]*\n?/my;
const openFence = /[^\S\n]{0,20}(?:`{0,2}|`{3,20}[^`\n]*|~{0,2}|~{3,20}[^\n]*)$/y;
const breakBefore = /\n(?=[^\S\n]{0,20}(?:\n|[-*+•]\s|#{1,6}\s|\||\d{1,3}[.)]\s))/y;
const openBreak = /\n[^\S\n]{0,20}(?:[-*+•]|#{1,6}|\d{1,3}[.)]?)?$/y;
const blanks = /[^\S\n]{1,20}/y;
const plain = new RegExp(`[^\\s\\[\`$\\\\。！？${openingMarks}]+[。！？]?|.`, "suy");

/** Words that cannot end an open quote. */
const harmless = /^[\p{L}\p{N} ]+$/u;
const longestQuote = 2000;

/** Cuts an answer into parts, while it arrives. Only a text may come in more parts than if it came as a whole. */
export class Lexer {
  #text = "";
  /** The part before the text. */
  #before: Pick<Token, "kind" | "text"> = { kind: "break", text: "\n" };
  /** The marks that close the block of code in which the text stands. */
  #fence = "";

  /** Takes a piece. Yields the parts that are certain; at the end, all. */
  *read(piece: string, isEnd = false): Generator<Token> {
    const isInQuote = openingMarks.includes(this.#text.charAt(0)) && this.#text.length < longestQuote;
    const goesOn = this.#text !== "" && isInQuote && harmless.test(this.#text.slice(-1) + piece);
    this.#text += piece;
    if (goesOn && !isEnd) return;
    let at = 0;
    while (at < this.#text.length) {
      const token = this.#next(at, isEnd);
      if (token === "wait") break;
      at += token.text.length;
      this.#before = token;
      yield token;
    }
    this.#text = this.#text.slice(at);
  }

  #next(at: number, isEnd: boolean): Token | "wait" {
    return (
      this.#codeBlock(at, isEnd) ??
      this.#citation(at, isEnd) ??
      this.#fixed(at, isEnd) ??
      this.#quote(at, isEnd) ??
      this.#lineBreak(at, isEnd) ?? {
        kind: this.#match(blanks, at) ? "blank" : "text",
        text: (this.#match(blanks, at) ?? this.#match(plain, at))?.[0] ?? this.#text.charAt(at),
      }
    );
  }

  #match(pattern: RegExp, at: number): RegExpExecArray | null {
    pattern.lastIndex = at;
    return pattern.exec(this.#text);
  }

  #codeBlock(at: number, isEnd: boolean): Token | "wait" | undefined {
    if (this.#fence !== "") return this.#codeLine(at, isEnd);
    if (!this.#before.text.endsWith("\n")) return undefined;
    if (!isEnd && this.#match(openFence, at)) return "wait";
    const found = this.#match(fence, at);
    if (!found) return undefined;
    this.#fence = found[1] ?? "";
    return { kind: "fixed", text: found[0] };
  }

  #codeLine(at: number, isEnd: boolean): Token | "wait" {
    const end = this.#text.indexOf("\n", at) + 1;
    if (end === 0 && !isEnd) return "wait";
    const text = this.#text.slice(at, end || undefined);
    const line = text.trim();
    if (line.startsWith(this.#fence) && line.replaceAll(this.#fence.charAt(0), "") === "") this.#fence = "";
    return { kind: "fixed", text };
  }

  #citation(at: number, isEnd: boolean): Token | "wait" | undefined {
    if (!isEnd && this.#match(openCitation, at)) return "wait";
    const found = this.#match(citation, at);
    if (!found) return undefined;
    const [text, before = "", inside = ""] = found;
    const next = this.#text.charAt(at + text.length);
    if (next === "" && !isEnd) return "wait";
    const last = this.#before.text.slice(-1);
    const isIndex = before === "" && (/[\w\\^]/.test(last) || (last === "]" && this.#before.kind === "fixed"));
    const isDefinition = next === ":" && last === "\n";
    if (isIndex || isDefinition || next === "(") return { kind: "fixed", text };
    return { kind: "citation", text, blanks: before, inside };
  }

  #fixed(at: number, isEnd: boolean): Token | "wait" | undefined {
    const sign = this.#text.charAt(at);
    if (!/[`$\\]/.test(sign) || (sign === "`" && this.#before.text.endsWith("`"))) return undefined;
    const [pattern, open] = sign === "`" ? [code, openCode] : [formula, openFormula];
    const text = this.#match(pattern, at)?.[0];
    const isClosed = text !== undefined && at + text.length < this.#text.length;
    if (!isClosed && !isEnd && this.#match(open, at)) return "wait";
    return text === undefined ? undefined : { kind: "fixed", text };
  }

  #quote(at: number, isEnd: boolean): Token | "wait" | undefined {
    const end = quoteEnd(this.#text, at, this.#before.text.slice(-1), isEnd);
    if (end === "open") return "wait";
    return end === "none" ? undefined : { kind: "quote", text: this.#text.slice(at, end) };
  }

  #lineBreak(at: number, isEnd: boolean): Token | "wait" | undefined {
    if (this.#text.charAt(at) !== "\n") return undefined;
    if (!isEnd && this.#match(openBreak, at)) return "wait";
    return { kind: this.#match(breakBefore, at) ? "break" : "blank", text: "\n" };
  }
}
