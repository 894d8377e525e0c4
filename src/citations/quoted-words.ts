import type { Source } from "../core/state/source.js";

/** The scripts that put no space between words. Each of their characters is compared by itself. */
const unspaced =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";
const unspacedSign = new RegExp(`[${unspaced}]`, "u");
/** A word, or a sign that changes what is said, such as the one of a percentage or a currency. */
const word = new RegExp(`[${unspaced}]|(?:(?![${unspaced}])[\\p{L}\\p{N}\\p{M}])+|[%‰°+=<\\p{Sc}]`, "gu");

const ellipsis = /[[(]?(?:…|\.(?: ?\.){2,})[\])]?/g;
/** The fewest words that count as a quote. Fewer may be a term or a title. */
const fewestWords = 4;

/**
 * Returns the words of a text as they are compared: one space around each, in small letters. White space, punctuation, marks
 * of Markdown, the addresses of links, citations and hyphens that nobody sees are left out.
 */
function comparable(text: string): string {
  const plain = text
    .normalize("NFKC")
    .replaceAll(/\p{Cf}/gu, "")
    .replaceAll(/\]\([^()\s]{0,500}\)/g, "]")
    .replaceAll(/\[[\d ,;–-]{1,20}\]|[[\]]/g, "");
  return ` ${(plain.toLowerCase().match(word) ?? []).join(" ")} `;
}

/** Returns the parts of a quote as they are compared. An ellipsis stands between them. */
export function quotedParts(quote: string): string[] {
  // NFKC makes three full stops of an ellipsis.
  return quote
    .normalize("NFKC")
    .split(ellipsis)
    .map(comparable)
    .filter((part) => part.trim() !== "");
}

/** Tells whether the parts are long enough for a quote. Two characters of a script without spaces count as one word. */
export function isQuote(parts: readonly string[]): boolean {
  const words = parts.flatMap((part) => part.trim().split(" "));
  return words.reduce((count, each) => count + (unspacedSign.test(each) ? 0.5 : 1), 0) >= fewestWords;
}

/** The texts in which quoted words may stand. Each is read once, when it is first needed. */
export class QuotedSources {
  readonly #texts = new Map<number, readonly string[]>();

  constructor(private readonly sources: readonly Source[]) {}

  /** The number of sources. Their numbers begin with 1. */
  get count(): number {
    return this.sources.length;
  }

  /** Tells whether the parts stand in a source, in this order. All that was found on one page of the web is one source. */
  has(number: number, parts: readonly string[]): boolean {
    return this.#onPage(number).some((each) => this.#textsOf(each).some((text) => standsIn(text, parts)));
  }

  /** Tells whether a source is known in part only: without its passage, or with a passage that ends with "…". */
  isPartial(number: number): boolean {
    return this.#onPage(number).some((each) => this.sources[each - 1]?.passage?.endsWith("…") ?? true);
  }

  /** Returns the numbers of the sources on the page of a source. */
  #onPage(number: number): readonly number[] {
    const address = this.sources[number - 1]?.address ?? "";
    if (!/^https?:/i.test(address)) return [number];
    return this.sources.flatMap((source, n) => (source.address === address ? [n + 1] : []));
  }

  /** Returns the number of the first source that has the parts. */
  find(parts: readonly string[]): number | undefined {
    const found = this.sources.findIndex((_, n) => this.has(n + 1, parts));
    return found < 0 ? undefined : found + 1;
  }

  #textsOf(number: number): readonly string[] {
    const known = this.#texts.get(number);
    if (known) return known;
    const { passage = "", heading = "", title = "" } = this.sources[number - 1] ?? {};
    const texts = [passage, heading, title].map(comparable);
    this.#texts.set(number, texts);
    return texts;
  }
}

function standsIn(text: string, parts: readonly string[]): boolean {
  let from = 0;
  for (const part of parts) {
    const place = text.indexOf(part, from);
    if (place < 0) return false;
    // Two parts may share the space between them.
    from = place + part.length - 1;
  }
  return true;
}
