import { parsedJson } from "../../../base/attempted.js";
import { escaped } from "../../../base/escaped.js";
import { mendedJson } from "../../../base/mended-json.js";
import { quoteTokens } from "../../forms/call-forms.js";

/**
 * The largest number of characters to repair in a reply, as repairs take time. A longer piece is read only if it is
 * correct.
 */
const mostRepaired = 40_000;

/**
 * A reader of JSON in one reply. It also reads trailing commas, single quotes, raw line breaks, comments, Python's constants
 * and Markdown's escaped underscores. The reader stops after a few passes over the reply, so its time is linear in the length
 * of the reply.
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

  /** Returns the end of the value that opens at a place with `{`, `[` or `(`. It is undefined if the value is never closed. */
  endOf(start: number): number | undefined {
    const { end, place } = scanValue(this.text, start, Math.min(this.text.length, start + this.scansLeft));
    this.scansLeft = Math.max(0, this.scansLeft - (place - start));
    return end;
  }

  /** Returns the value of a piece of text. Returns undefined if it is not JSON, even after repair. */
  read(json: string): unknown {
    const exact = parseJson(json);
    if (exact !== undefined || json.length > this.repairsLeft) return exact;
    this.repairsLeft -= json.length;
    return parseJson(mendedJson(withPlainQuotes(withoutDoubledBraces(json))));
  }
}

/** Returns the value of correct JSON, and undefined for all other texts. */
export function parseJson(json: string): unknown {
  // To throw costs more than to look.
  return /^\{\s*[^\s"}]/.test(json) ? undefined : parsedJson(json);
}

/** A text in the quotes of Python's long texts, or in the tokens that families of models write in the place of quotes. */
const longText = String.raw`(${['"""', ...Object.values(quoteTokens)].map(escaped).join("|")})([\s\S]*?)\1`;
const longTextAt = new RegExp(longText, "y");

/** Writes texts in long quotes as JSON texts. */
function withPlainQuotes(json: string): string {
  return json.replaceAll(new RegExp(longText, "g"), (_, _quote: string, text: string) => JSON.stringify(text));
}

/** Removes doubled braces. Prompt templates double their braces, and models copy that. */
function withoutDoubledBraces(json: string): string {
  return json.startsWith("{{") && json.endsWith("}}") ? json.slice(1, -1) : json;
}

const closers: Readonly<Record<string, string>> = { "{": "}", "[": "]", "(": ")" };
/** The deepest nesting to read. No real input is nested deeper. */
const deepest = 100;

/**
 * Passes once over brackets and quoted texts. A quote opens after a bracket, a comma or a colon, and closes before one.
 */
function scanValue(text: string, start: number, limit: number): { readonly end?: number; readonly place: number } {
  const open: string[] = [];
  let [place, before] = [start, " "];
  while (place < limit) {
    const sign = text.charAt(place);
    const isQuote = /["'<]/.test(sign) && "{[(,:=".includes(before);
    place = isQuote ? endOfQuoted(text, place, limit) : place + 1;
    const closer = closers[sign];
    if (closer !== undefined) open.push(closer);
    else if (sign === open.at(-1)) open.pop();
    if (open.length === 0) return { end: place, place };
    if (place > limit || open.length > deepest) break;
    if (sign > " ") before = sign;
  }
  return { place };
}

/** Returns the end of a quoted text. It is beyond the limit if there is none. */
function endOfQuoted(text: string, start: number, limit: number): number {
  longTextAt.lastIndex = start;
  if (longTextAt.test(text)) return longTextAt.lastIndex;
  const quote = text.charAt(start);
  if (quote === "<") return start + 1;
  for (let place = start + 1; place < limit; place += 1) {
    const sign = text.charAt(place);
    if (sign === "\\") place += 1;
    else if (sign === quote && closesBefore(text, place + 1)) return place + 1;
  }
  return limit + 1;
}

function closesBefore(text: string, place: number): boolean {
  afterSpaces.lastIndex = place;
  return afterSpaces.test(text);
}

const afterSpaces = /\s{0,200}(?:[,:}\])]|```|\/[/*]|$)/y;
