import { parsedJson } from "../../../base/attempted.js";
import { mendedJson } from "../../../base/mended-json.js";
import { readUnescapedCall } from "./unescaped-call.js";

/** The end of a value that looks like JSON. */
export type ValueEnd = { readonly end: number } | ValueCut;

/**
 * The reason for a value without an end. The text ends inside a quoted text, or only the closing brackets are missing.
 */
export type ValueCut = { readonly cut: "text" } | { readonly cut: "brackets"; readonly missing: string };

/**
 * The largest number of characters to repair in a reply, as repairs take time. A longer piece is read only if it is
 * correct.
 */
const mostRepaired = 40_000;

/**
 * A reader of JSON in one reply. It also reads trailing commas, single quotes, raw line breaks, comments, Python's
 * constants and Markdown's escaped underscores. It stops after passing over the reply a few times. So its time is
 * linear in the length of the reply.
 */
export class JsonReader {
  private scansLeft: number;
  private repairsLeft = mostRepaired;

  constructor(
    private readonly text: string,
    passes = 2,
  ) {
    this.scansLeft = passes * text.length + 50_000;
  }

  /** Returns the end of the value that opens at a place with `{`, `[` or `(`. */
  endOf(start: number): ValueEnd {
    const scan = new ValueScan(this.text, start, this.scansLeft);
    const end = scan.run();
    this.scansLeft -= scan.position - start;
    return end;
  }

  /** Returns the value of a piece of text. Returns undefined if it is not JSON, even after repair. */
  read(json: string): unknown {
    const exact = parseJson(json);
    if (exact !== undefined || json.length > this.repairsLeft) return exact;
    this.repairsLeft -= json.length;
    const mended = withRealEscapes(withoutTripleQuotes(withoutDoubledBraces(json)));
    return parseJson(mended) ?? readUnescapedCall(mended) ?? parseJson(mendedJson(mended));
  }
}

/** Tells whether a text is correct JSON. */
export function isJson(text: string): boolean {
  return parseJson(text) !== undefined;
}

/** Returns the value of correct JSON, and undefined for all other texts. */
export function parseJson(json: string): unknown {
  // To throw costs more than to look.
  return /^\{\s*[^\s"}]/.test(json) ? undefined : parsedJson(json);
}

/** Mends backslashes that are not escapes of JSON: those of Markdown's underscores, and those of paths. */
function withRealEscapes(json: string): string {
  return json.replaceAll(/\\([\s\S])/g, (escaped, character: string) => {
    if (character === "_") return "_";
    return `"'\\/bfnrtu\n`.includes(character) ? escaped : `\\\\${character}`;
  });
}

/** Writes Python's long texts as JSON texts. */
function withoutTripleQuotes(json: string): string {
  return json.replaceAll(/"""([\s\S]*?)"""/g, (_, text: string) => JSON.stringify(text));
}

/** Removes doubled braces. Prompt templates double their braces, and models copy that. */
function withoutDoubledBraces(json: string): string {
  return json.startsWith("{{") && json.endsWith("}}") ? json.slice(1, -1) : json;
}

const closers = new Map(
  [..."{}[]()"]
    .map((sign, n, signs) => [sign.charCodeAt(0), signs[n + 1]?.charCodeAt(0)] as const)
    .filter((_, n) => n % 2 === 0),
);
/** The deepest nesting to read. No real input is nested deeper. */
const deepest = 100;
const [doubleQuote, singleQuote, backslash, slash, colon, blank, closingBrace] = [
  0x22, 0x27, 0x5c, 0x2f, 0x3a, 0x20, 0x7d,
];
const beforeQuote = new Set([..."{[(,:="].map((sign) => sign.charCodeAt(0)));

/**
 * One pass over brackets and quoted texts. A quote opens after a bracket, a comma or a colon, and closes before one.
 */
class ValueScan {
  position: number;
  private readonly open: (number | undefined)[] = [];
  private before = 0;

  constructor(
    private readonly text: string,
    start: number,
    private readonly most: number,
  ) {
    this.position = start;
  }

  run(): ValueEnd {
    const limit = Math.min(this.text.length, this.position + Math.max(0, this.most));
    while (this.position < limit) {
      const code = this.text.charCodeAt(this.position);
      if ((code === doubleQuote || code === singleQuote) && beforeQuote.has(this.before)) {
        if (!this.skipQuoted(code, limit)) return { cut: "text" };
        this.before = code;
        continue;
      }
      if (code === slash && this.skipComment()) continue;
      this.position += 1;
      if (closers.has(code)) {
        if (this.open.push(closers.get(code)) > deepest) return { cut: "text" };
      } else if (code === this.open.at(-1)) this.open.pop();
      if (this.open.length === 0) return { end: this.position };
      if (code > blank) this.before = code;
    }
    return { cut: "brackets", missing: this.missing() };
  }

  /** Skips a comment, with `//` or in the other style. It does not skip the slashes of a web address. */
  private skipComment(): boolean {
    const kind = this.text.charAt(this.position + 1);
    const inObject = this.open.at(0) === closingBrace && this.before !== colon;
    if ((kind !== "/" && kind !== "*") || !inObject) return false;
    const end = this.text.indexOf(kind === "/" ? "\n" : "*/", this.position + 2);
    this.position = end < 0 ? this.text.length : end + 1;
    return true;
  }

  private missing(): string {
    return String.fromCharCode(...this.open.map((code) => code ?? 0).reverse());
  }

  private skipQuoted(quote: number, limit: number): boolean {
    for (this.position += 1; this.position < limit; this.position += 1) {
      const code = this.text.charCodeAt(this.position);
      if (code === backslash) this.position += 1;
      else if (code === quote && this.closesBefore(this.position + 1)) {
        this.position += 1;
        return true;
      }
    }
    return false;
  }

  private closesBefore(place: number): boolean {
    afterSpaces.lastIndex = place;
    return afterSpaces.test(this.text);
  }
}

const afterSpaces = /\s{0,200}(?:[,:}\])]|```|\/[/*]|$)/y;
