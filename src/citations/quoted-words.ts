import type { Source } from "../core/state/source.js";

/** The scripts that put no space between words. Each of their characters is compared by itself. */
const unspaced = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"]
  .map((script) => `\\p{Script=${script}}`)
  .join("");
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

/** Returns the parts of a quote as they are compared. An ellipsis stands between them. Too few words are no quote. */
export function quotedParts(quote: string): string[] | undefined {
  // NFKC makes three full stops of an ellipsis.
  const parts = quote.normalize("NFKC").split(ellipsis).map(comparable);
  const words = parts.flatMap((part) => part.split(" ")).filter((each) => each !== "");
  // Two characters of a script without spaces count as one word.
  const length = words.reduce((count, each) => count + (unspacedSign.test(each) ? 0.5 : 1), 0);
  return length < fewestWords ? undefined : parts.filter((part) => part.trim() !== "");
}

/** The sources in which quoted words may stand, by their places in a list. Each is read once, when it is first needed. */
export class QuotedSources {
  readonly #texts = new Map<Source, readonly string[]>();

  constructor(private readonly sources: readonly Source[]) {}

  /** Tells whether the parts stand in a source, in this order. */
  has(at: number, parts: readonly string[]): boolean {
    return this.#onPage(at).some((source) => this.#textsOf(source).some((text) => standsIn(text, parts)));
  }

  /** Tells whether a source is known in part only: without its passage, or with a passage that ends with "…". */
  isPartial(at: number): boolean {
    return this.#onPage(at).some(({ passage }) => passage?.endsWith("…") ?? true);
  }

  /** Returns the place of the first source that has the parts. */
  find(parts: readonly string[]): number | undefined {
    const found = this.sources.findIndex((_, at) => this.has(at, parts));
    return found < 0 ? undefined : found;
  }

  /** Returns what was found on the page of a source. All that was found on one page of the web is one source. */
  #onPage(at: number): readonly Source[] {
    const address = this.sources[at]?.address ?? "";
    const isOnWeb = /^https?:/i.test(address);
    return this.sources.filter((source, n) => n === at || (isOnWeb && source.address === address));
  }

  #textsOf(source: Source): readonly string[] {
    const { passage = "", heading = "", title } = source;
    const texts = this.#texts.get(source) ?? [passage, heading, title].map(comparable);
    this.#texts.set(source, texts);
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
