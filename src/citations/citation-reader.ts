import type { CitationProblem } from "../core/parts/answers.js";
import type { Source } from "../core/state/source.js";
import { citationPattern, type ReadCitation, readCitation } from "./citation-text.js";
import { Lexer, type Token } from "./lexer.js";
import { isQuote, QuotedSources, quotedParts } from "./quoted-words.js";

/** Citations beside one another. */
interface Group {
  readonly numbers: Set<number>;
  /** The place of its last citation in what is held back. */
  at: number;
  /** The words after it, which may join it with another. */
  after: string;
  /** Tells whether a quote stands directly before it. */
  readonly isOfQuote: boolean;
}

/** A quote whose citations are not all known yet. */
interface OpenQuote {
  readonly text: string;
  readonly parts: readonly string[];
  readonly at: number;
  readonly before: Group | undefined;
  readonly inside: readonly number[];
}

const joint = /^[\s,;]*(?:(?:and|or|und|et|y|e|&)\s*)?$/;
const openJoint = /^[\s,;]*(?:a|an|and|o|or|u|un|und|e|et|y|&)?\s*$/;
/** What may stand between a quote and its citation. */
const besideQuote = /^[.,;:!?…)*_。、，！？]+$/;
const closers = /^[)\]*_"'”’»」』]+$/;
const ending = /[.!?…。！？][)\]*_"'”’»」』]*$/;
const endingWithoutBlank = /[。！？][)\]*_"'”’»」』]*$/;
const abbreviation = /(?:^|[\s(])(?:\p{Lu}|Dr|Mr|Mrs|Ms|St|Prof|No|Nr|vs|ca|Fig|approx|e\.g|i\.e|z\.B)\.$/u;
const insideQuote = new RegExp(`\`[^\`]*\`|${citationPattern}`, "g");

/**
 * Checks the citations of an answer while it arrives. The pieces that it returns, put together, are the checked answer. It
 * holds back what is not certain yet: open brackets, and from a quote on the rest of its sentence.
 *
 * @example
 * const reader = new CitationReader(sources);
 * for await (const piece of answer) process.stdout.write(reader.push(piece));
 * process.stdout.write(reader.end());
 */
export class CitationReader {
  readonly #lexer = new Lexer();
  readonly #sources: QuotedSources;
  readonly #cited = new Set<number>();
  readonly #problems: CitationProblem[] = [];
  /** What is held back, in parts. */
  #held: string[] = [];
  #quotes: OpenQuote[] = [];
  /** The last citations of the sentence; `isOpen` if more may join them. */
  #group: Group | undefined;
  #isOpen = false;
  #isBeside = false;
  /** The last words, and whether white space followed. */
  #tail = "";
  #isSpaced = false;

  constructor(sources: readonly Source[]) {
    this.#sources = new QuotedSources(sources);
  }

  /** The numbers of the sources that are cited, in the order in which they first stand. */
  get cited(): readonly number[] {
    return [...this.#cited];
  }

  /** The problems so far. */
  get problems(): readonly CitationProblem[] {
    return this.#problems;
  }

  /** Takes the next piece of the answer. Returns what is certain. */
  push(piece: string): string {
    return this.#read(piece, false);
  }

  /** Returns the rest, when the answer has ended. */
  end(): string {
    const checked = this.#read("", true);
    this.#endSentence();
    return checked + this.#release();
  }

  #read(piece: string, isEnd: boolean): string {
    let certain = "";
    for (const token of this.#lexer.read(piece, isEnd)) {
      this.#take(token);
      if (this.#quotes.length === 0) certain += this.#release();
    }
    return certain;
  }

  #release(): string {
    const text = this.#held.join("");
    this.#held = [];
    return text;
  }

  #take(token: Token): void {
    if (token.kind === "break") this.#endSentence();
    if (token.kind === "citation") {
      const read = readCitation(token.blanks, token.inside, this.#sources.count);
      if (read) {
        this.#cite(read);
        return;
      }
    }
    if (token.kind === "blank" || token.kind === "break") this.#isSpaced = true;
    else this.#speak(token.text, token.kind === "quote");
    if (this.#isOpen && this.#group) {
      this.#group.after += token.text;
      if (token.kind === "quote" || !openJoint.test(this.#group.after)) this.#closeGroup();
    }
    if (token.kind === "quote") this.#quote(token.text);
    else this.#held.push(token.text);
  }

  /** Takes note of words. They may begin a new sentence. */
  #speak(text: string, isQuote: boolean): void {
    const isApart = this.#isSpaced
      ? ending.test(this.#tail) && !abbreviation.test(this.#tail) && !/^[\p{Ll}\d]/u.test(text)
      : endingWithoutBlank.test(this.#tail) && !closers.test(text);
    if (isApart) this.#endSentence();
    this.#tail = `${this.#tail}${this.#isSpaced ? " " : ""}${text}`.slice(-12);
    this.#isSpaced = false;
    this.#isBeside = isQuote || (this.#isBeside && besideQuote.test(text));
  }

  #cite({ known, unknown, text }: ReadCitation): void {
    this.#note(known, unknown);
    const joined = this.#isOpen && this.#group && joint.test(this.#group.after);
    if (!joined) {
      this.#closeGroup();
      this.#group = { numbers: new Set(), at: 0, after: "", isOfQuote: this.#isBeside };
      this.#isOpen = true;
    }
    this.#held.push(text);
    if (!this.#group) return;
    for (const number of known) this.#group.numbers.add(number);
    this.#group.at = this.#held.length - 1;
    this.#group.after = "";
    this.#isSpaced = false;
  }

  #note(known: readonly number[], unknown: readonly number[]): void {
    for (const number of known) this.#cited.add(number);
    if (unknown.length > 0) this.#problems.push({ problem: "no-source", numbers: unknown });
  }

  #quote(text: string): void {
    const inside: number[] = [];
    const checked = text.replaceAll(insideQuote, (whole, blanks?: string, numbers?: string) => {
      const read = numbers === undefined ? undefined : readCitation(blanks ?? "", numbers, this.#sources.count);
      if (!read) return whole;
      this.#note(read.known, read.unknown);
      inside.push(...read.known);
      return read.text;
    });
    this.#held.push(checked);
    const parts = quotedParts(text.slice(1, -1));
    if (!isQuote(parts)) return;
    this.#quotes.push({ text, parts, at: this.#held.length - 1, before: this.#group, inside });
  }

  /** No more citations join the group. The quotes before it are decided. */
  #closeGroup(): void {
    const group = this.#group;
    if (!this.#isOpen || !group) return;
    this.#isOpen = false;
    for (const quote of this.#quotes) {
      const isDirect = group.isOfQuote && quote === this.#quotes.at(-1);
      const before = isDirect || quote.before?.isOfQuote ? [] : (quote.before?.numbers ?? []);
      this.#decide(quote, [...group.numbers, ...before, ...quote.inside], isDirect ? group.at : quote.at);
    }
    this.#quotes = [];
  }

  #endSentence(): void {
    this.#closeGroup();
    for (const quote of this.#quotes) {
      const { before, inside, at } = quote;
      if (before || inside.length > 0) this.#decide(quote, [...(before?.numbers ?? []), ...inside], at);
    }
    this.#quotes = [];
    this.#group = undefined;
    this.#isBeside = false;
    this.#tail = "";
  }

  #decide({ text, parts }: OpenQuote, candidates: readonly number[], at: number): void {
    const numbers = [...new Set(candidates)];
    const isRight = (number: number) => this.#sources.has(number, parts) || this.#sources.isPartial(number);
    if (numbers.some(isRight)) return;
    const foundIn = this.#sources.find(parts);
    this.#problems.push({ problem: "misquoted", quote: text, numbers, ...(foundIn !== undefined && { foundIn }) });
    this.#held[at] += ` (${markOf(numbers, foundIn)})`;
  }
}

/** Returns the mark of a quote, such as "not in source 2, but in source 1". */
function markOf(numbers: readonly number[], foundIn: number | undefined): string {
  if (numbers.length === 0) return foundIn === undefined ? "not in the sources" : `in source ${foundIn}`;
  const not = `not in ${numbers.length === 1 ? "source" : "sources"} ${numbers.join(", ")}`;
  return foundIn === undefined ? not : `${not}, but in source ${foundIn}`;
}
