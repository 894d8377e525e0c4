import { jsonrepair } from "jsonrepair";
import { readUnescapedCall } from "./unescaped-call.js";

/** Where a JSON-like value ends. */
export type ValueEnd = { readonly end: number } | ValueCut;

/** The text ends inside the value: inside a quoted text, or only the closing brackets are missing. */
export type ValueCut = { readonly cut: "text" } | { readonly cut: "brackets"; readonly missing: string };

/** How much of a reply is repaired at most: repairing takes time. Longer pieces are read only when they are correct. */
const mostRepaired = 40_000;

/**
 * Finds and reads JSON in a reply: also JSON with trailing commas, single quotes, raw line breaks, comments, Python's
 * constants and markdown's escaped underscores. One reader reads one reply; it stops looking when it has gone over the
 * reply a few times, so that its work grows with the reply's length and no faster.
 */
export class JsonReader {
  private scansLeft: number;
  private repairsLeft = mostRepaired;

  constructor(private readonly text: string) {
    this.scansLeft = 2 * text.length + 50_000;
  }

  /** Where the value that opens at a place, with `{`, `[` or `(`, closes. */
  endOf(start: number): ValueEnd {
    const scan = new ValueScan(this.text, start, this.scansLeft);
    const end = scan.run();
    this.scansLeft -= scan.position - start;
    return end;
  }

  /** The value of a piece of text; undefined when it is none, even after repair. */
  read(json: string): unknown {
    const exact = parseJson(json);
    if (exact !== undefined || json.length > this.repairsLeft) return exact;
    this.repairsLeft -= json.length;
    const mended = withRealEscapes(withoutTripleQuotes(withoutDoubledBraces(json)));
    return parseJson(mended) ?? readUnescapedCall(mended) ?? parseJson(repaired(mended));
  }
}

/** Whether a piece of text is JSON as it stands. */
export function isJson(text: string): boolean {
  return parseJson(text) !== undefined;
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function repaired(json: string): string {
  try {
    return jsonrepair(json);
  } catch {
    return "";
  }
}

/** Markdown escapes underscores, and paths have backslashes of their own: neither is an escape of JSON. */
function withRealEscapes(json: string): string {
  return json.replaceAll(/\\([\s\S])/g, (escaped, character: string) => {
    if (character === "_") return "_";
    return `"'\\/bfnrtu\n`.includes(character) ? escaped : `\\\\${character}`;
  });
}

/** Python's long texts. */
function withoutTripleQuotes(json: string): string {
  return json.replaceAll(/"""([\s\S]*?)"""/g, (_, text: string) => JSON.stringify(text));
}

/** Prompt templates double their braces, and models copy that. */
function withoutDoubledBraces(json: string): string {
  return json.startsWith("{{") && json.endsWith("}}") ? json.slice(1, -1) : json;
}

const closers = new Map(
  [..."{}[]()"]
    .map((sign, n, signs) => [sign.charCodeAt(0), signs[n + 1]?.charCodeAt(0)] as const)
    .filter((_, n) => n % 2 === 0),
);
/** What is nested deeper is no input that anyone meant. */
const deepest = 100;
const [doubleQuote, singleQuote, backslash, slash, colon, blank, closingBrace] = [
  0x22, 0x27, 0x5c, 0x2f, 0x3a, 0x20, 0x7d,
];
const beforeQuote = new Set([..."{[(,:="].map((sign) => sign.charCodeAt(0)));

/** One pass over brackets and quoted texts. A quote opens after a bracket, a comma or a colon, and closes before one. */
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

  /** `// …` to the end of the line, and the other kind; but not the slashes of an address. */
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
