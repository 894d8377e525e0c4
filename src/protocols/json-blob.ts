import { jsonrepair } from "jsonrepair";

/** Where a JSON-like value ends. */
export type BlobEnd = { readonly end: number } | BlobCut;

/** The text ends inside the value: inside a quoted text, or only the closing brackets are missing. */
export type BlobCut = { readonly cut: "text" } | { readonly cut: "brackets"; readonly missing: string };

/** Longer pieces are read only when they are correct JSON: repairing takes time. */
const longestRepair = 32_768;
/** How many pieces of a reply are repaired at most. */
const mostRepairs = 12;

/**
 * Finds and reads JSON in a reply: also JSON with trailing commas, single quotes, raw line breaks, comments, Python's
 * constants and markdown's escaped underscores. One reader reads one reply; it stops looking when it has gone over the
 * reply a few times, so that its work grows with the reply's length and no faster.
 */
export class JsonReader {
  private scansLeft: number;
  private repairsLeft = mostRepairs;

  constructor(private readonly text: string) {
    this.scansLeft = 3 * text.length + 1000;
  }

  /** Where the value that opens at a place, with `{`, `[` or `(`, closes. */
  endOf(start: number): BlobEnd {
    const scan = new BlobScan(this.text, start, this.scansLeft);
    const end = scan.run();
    this.scansLeft -= scan.position - start;
    return end;
  }

  /** The value of a piece of text; undefined when it is none, even after repair. */
  read(json: string): unknown {
    for (const candidate of [json, unescapeMarkdown(json), withoutDoubledBraces(json)]) {
      const value = parseJson(candidate);
      if (value !== undefined) return value;
    }
    if (json.length > longestRepair || this.repairsLeft <= 0) return undefined;
    this.repairsLeft -= 1;
    return parseJson(repaired(withoutDoubledBraces(unescapeMarkdown(json))));
  }
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

function unescapeMarkdown(json: string): string {
  return json.replaceAll("\\_", "_");
}

/** Prompt templates double their braces, and models copy that. */
function withoutDoubledBraces(json: string): string {
  return json.startsWith("{{") && json.endsWith("}}") ? json.slice(1, -1) : json;
}

const closers: Readonly<Record<string, string>> = { "{": "}", "[": "]", "(": ")" };

/** One pass over brackets and quoted texts. A quote opens after a bracket, a comma or a colon, and closes before one. */
class BlobScan {
  position: number;
  private readonly open: string[] = [];
  private before = "";

  constructor(
    private readonly text: string,
    start: number,
    private readonly most: number,
  ) {
    this.position = start;
  }

  run(): BlobEnd {
    const limit = Math.min(this.text.length, this.position + Math.max(0, this.most));
    while (this.position < limit) {
      const character = this.text.charAt(this.position);
      if ((character === '"' || character === "'") && "{[(,:=".includes(this.before)) {
        if (!this.skipQuoted(character, limit)) return { cut: "text" };
        this.before = character;
        continue;
      }
      this.position += 1;
      const closer = closers[character];
      if (closer) this.open.push(closer);
      else if (character === this.open.at(-1)) this.open.pop();
      if (this.open.length === 0) return { end: this.position };
      if (character.trim() !== "") this.before = character;
    }
    return { cut: "brackets", missing: this.open.reverse().join("") };
  }

  private skipQuoted(quote: string, limit: number): boolean {
    for (this.position += 1; this.position < limit; this.position += 1) {
      const character = this.text.charAt(this.position);
      if (character === "\\") this.position += 1;
      else if (character === quote && this.closesBefore(this.position + 1)) {
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

const afterSpaces = /\s*(?:[,:}\])]|$)/y;
