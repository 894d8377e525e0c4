import type { Protocol, ToolSpec } from "../../core/parts/protocol.js";
import { CertainText } from "../reading/certain-text.js";
import { findJsonAnswers, JsonAnswerReader } from "../reading/json-answer.js";
import { protocolWords, speakers, type Vocabulary } from "../reading/label-words.js";
import { selfAskWords } from "../reading/read-self-ask.js";
import { inlineLabels, type Label, labelOfLine, lineLabels, mayBecomeLabel } from "../reading/sections/labels.js";
import { endOfThinking, findToken, tokenAtEnd } from "../reading/sections/special-tokens.js";
import { longestStart } from "./words-reader.js";

/** A reader of an answer. `push` takes the whole reply so far, and returns the new part of the answer. */
export interface AnswerReader {
  push(reply: string): string;
}

/** A place at which the text of an answer may begin. */
interface Start {
  readonly place: number;
  readonly inJson: boolean;
}

/** The largest number of places to ask the parser about. A reply with more of them is broken. */
const mostRefused = 20;

/**
 * Finds the place in a reply at which its answer begins, by asking the parser of the protocol. For example, with
 * `Thought: done\nFinal Answer: ` the parser gets this text followed by `1`, and by `1\nSo the final answer is: 2`. If it
 * returns the answer `1` each time, the answer begins here, however the model goes on.
 */
export class AnswerStart {
  /** The beginning of the last line that was looked at. */
  #line = 0;
  #length = 0;
  /** The place of the first token. No answer after it is certain. */
  #token: number | undefined;
  readonly #refused = new Set<number>();

  /** @param markers Texts after which an answer may begin, beside the labels. */
  constructor(
    private readonly protocol: Pick<Protocol, "parse">,
    private readonly tools: readonly ToolSpec[],
    private readonly markers: readonly string[],
  ) {}

  /** Takes the whole reply so far. Returns a reader of the answer once it has begun. */
  find(reply: string): AnswerReader | undefined {
    const thinking = endOfThinking(reply);
    if (thinking === undefined) return undefined;
    this.#token ??= findToken(reply, Math.max(thinking, this.#length - longestStart));
    const inJson = findJsonAnswers(reply, this.#length).map((place) => ({ place, inJson: true }));
    const starts = [...this.#labelled(reply), ...inJson].sort((one, other) => one.place - other.place);
    const found = starts.find((start) => start.place <= (this.#token ?? reply.length) && this.#begins(reply, start));
    if (found) return found.inJson ? new JsonAnswerReader(found.place) : new PlainAnswerReader(found.place);
    this.#line = reply.lastIndexOf("\n") + 1;
    this.#length = reply.length;
    return undefined;
  }

  #labelled(reply: string): Start[] {
    const lines = reply.slice(this.#line);
    const unseen = Math.max(0, this.#length - this.#line - longestStart);
    const labels = [...lineLabels(lines, protocolWords), ...inlineLabels(lines, unseen)].filter(isAnswer);
    const markers = this.markers.flatMap((marker) => {
      const place = reply.indexOf(marker, Math.max(0, this.#line - marker.length));
      return place < 0 ? [] : [place + marker.length];
    });
    // Emphasis may end after the colon of a label: `**Final Answer:** 42`.
    const isPlain = (place: number) => /[^*_`:]/.test(reply.charAt(place));
    const places = labels.map(({ end }) => this.#line + end).filter((end) => isPlain(end) || end + 3 <= reply.length);
    return [...places, ...markers.filter(isPlain)].map((place) => ({ place, inJson: false }));
  }

  #begins(reply: string, { place, inJson }: Start): boolean {
    if (this.#refused.has(place) || this.#refused.size >= mostRefused) return false;
    const before = reply.slice(0, place);
    const begins = possibleRests(before, inJson).every(([rest, answer]) => {
      const read = this.protocol.parse(before + rest, this.tools);
      return read.kind === "finish" && read.output === answer;
    });
    if (!begins) this.#refused.add(place);
    return begins;
  }
}

/** Ways in which a reply may go on, each with the answer that it must have. */
function possibleRests(before: string, inJson: boolean): (readonly [rest: string, answer: string])[] {
  const another = "\nSo the final answer is: 2";
  if (inJson) return ['1"}', `1"}${another}`].map((rest) => [rest, "1"]);
  // JSON that is still open before a label might close after it. Then there was no label.
  const closings = /[[{]/.test(before) ? ["1}", "1]", '1"}', '1"]'] : [];
  return [["1", "1"], [`1${another}`, "1"], ...closings.map((rest) => [rest, rest] as const)];
}

function isAnswer({ kind, weak, colon }: Label): boolean {
  return kind === "answer" && !weak && colon;
}

/** Tells whether a line that is still being written may become a label that ends the answer. */
function mayEnd(line: string): boolean {
  return [protocolWords, selfAskWords, speakers].some((words: Vocabulary<string>) => mayBecomeLabel(line, words));
}

/** Tells whether a line is a label that may end the answer. */
function ends(line: string): boolean {
  const others = [selfAskWords, speakers].some((words: Vocabulary<string>) => labelOfLine(line, words) !== undefined);
  return others || labelOfLine(line, protocolWords)?.weak === false;
}

/** A follow-up of self-ask on the line of the answer, and its beginnings. */
const followUp = /[.!] {1,3}\*{0,2}Follow[ -]?up(?: question)? ?\d{0,2}\*{0,2}:/i;
const openFollowUp = /[.!] {1,3}\*{0,2}F(?:o(?:l(?:l(?:o(?:w[ \w*-]{0,20})?)?)?)?)?$/i;
const longestFollowUp = 50;

/** Reads an answer that follows a label, while the model writes it. */
class PlainAnswerReader {
  readonly #text = new CertainText(mayBeOther);
  /** The place of the first line that is not looked at, or not finished. */
  #line: number;
  /** The place from which there may be tokens and follow-ups that are not looked at yet. */
  #looked: number;
  #end: number | undefined;

  /** @param start The place after the label. */
  constructor(private readonly start: number) {
    this.#line = start;
    this.#looked = start;
  }

  /** Takes the whole reply so far. Returns the new part of the answer. */
  push(reply: string): string {
    this.#end ??= this.#findEnd(reply);
    this.#looked = Math.max(this.start, reply.length - longestFollowUp);
    return this.#text.grow(reply.slice(this.start, this.#end ?? this.#openEnd(reply)));
  }

  /**
   * Returns the place of a label or token that may end the answer. Only the whole reply shows whether that text was a part of
   * the answer.
   */
  #findEnd(reply: string): number | undefined {
    const unseen = followUp.exec(reply.slice(this.#looked))?.index;
    const inline = Math.min(
      findToken(reply, this.#looked) ?? reply.length,
      unseen === undefined ? reply.length : this.#looked + unseen + 1,
    );
    for (;;) {
      const newline = reply.indexOf("\n", this.#line);
      const end = newline < 0 ? inline : Math.min(newline, inline);
      if (end < reply.length && this.#isLine && ends(reply.slice(this.#line, end))) return this.#line;
      if (end === inline) return inline < reply.length ? inline : undefined;
      this.#line = end + 1;
    }
  }

  /** Returns the place from which the last line may become something else. */
  #openEnd(reply: string): number {
    const line = reply.slice(this.#line);
    const words = line.slice(0, tokenAtEnd(line));
    if (this.#isLine && mayEnd(words)) return this.#line;
    const tail = words.slice(-longestFollowUp);
    const open = openFollowUp.exec(tail)?.index;
    return this.#line + words.length - (open === undefined ? 0 : tail.length - open - 1);
  }

  /** Tells whether a line begins at the place. The rest of the label's own line is none. */
  get #isLine(): boolean {
    return this.#line > this.start;
  }
}

/**
 * Tells whether the beginning of an answer may be JSON, from which the answer would be extracted, or a second `AI:` of a
 * model that speaks as `AI:`.
 */
function mayBeOther(beginning: string): boolean {
  return /^(?:`{1,2}$|```\w*\s*$|(?:```\w*\s*)?\{)/.test(beginning) || mayBeSpeaker(beginning.toLowerCase());
}

function mayBeSpeaker(beginning: string): boolean {
  return (
    ["ai", "assistant"].some((name) => name.startsWith(beginning)) || /^(?:ai|assistant)\s*(?:[:：]|$)/.test(beginning)
  );
}
