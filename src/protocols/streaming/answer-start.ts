import type { Protocol, ToolSpec } from "../protocol.js";
import { findJsonAnswers, JsonAnswerReader } from "../reading/json-answer.js";
import { protocolWords } from "../reading/label-words.js";
import { inlineLabels, type Label, labelOfLine } from "../reading/sections/labels.js";
import { endOfThinking, findToken } from "../reading/sections/special-tokens.js";
import { PlainAnswerReader } from "./plain-answer-reader.js";

/** A reader of an answer. It takes the whole reply so far, and returns the new part of the answer. */
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
 * Finds the place in a reply at which its answer begins. The parser of the protocol says so. It reads the reply up to
 * that place, with a word as the answer.
 */
export class AnswerStart {
  /** The beginning of the last line that was looked at. */
  #line = 0;
  #length = 0;
  /** The place of the first token. No answer after it is certain. */
  #token: number | undefined;
  readonly #refused = new Set<number>();

  constructor(
    private readonly protocol: Protocol,
    private readonly tools: readonly ToolSpec[],
  ) {}

  /** Takes the whole reply so far. Returns a reader of the answer once it has begun. */
  find(reply: string): AnswerReader | undefined {
    const thinking = endOfThinking(reply);
    if (thinking === undefined) return undefined;
    this.#token ??= findToken(reply, Math.max(thinking, this.#line));
    const inJson = findJsonAnswers(reply, this.#length).map((place) => ({ place, inJson: true }));
    const starts = [...this.#labelled(reply), ...inJson].sort((one, other) => one.place - other.place);
    const found = starts.find((start) => start.place <= (this.#token ?? reply.length) && this.#begins(reply, start));
    if (found) return found.inJson ? new JsonAnswerReader(found.place) : new PlainAnswerReader(found.place);
    this.#line = reply.lastIndexOf("\n") + 1;
    this.#length = reply.length;
    return undefined;
  }

  #labelled(reply: string): Start[] {
    const labels = this.#labels(reply.slice(this.#line)).filter(isAnswer);
    const markers = (this.protocol.answerMarkers ?? []).flatMap((marker) => {
      const place = reply.indexOf(marker, Math.max(0, this.#line - marker.length));
      return place < 0 ? [] : [place + marker.length];
    });
    // Emphasis may end after the colon of a label: `**Final Answer:** 42`.
    const isPlain = (place: number) => /[^*_`:]/.test(reply.charAt(place));
    const places = labels.map(({ end }) => this.#line + end).filter((end) => isPlain(end) || end + 3 <= reply.length);
    return [...places, ...markers.filter(isPlain)].map((place) => ({ place, inJson: false }));
  }

  #labels(lines: string): Label[] {
    const found: Label[] = [];
    let start = 0;
    for (const line of lines.split("\n")) {
      const label = labelOfLine(line, protocolWords);
      if (label) found.push({ ...label, end: start + label.end });
      start += line.length + 1;
    }
    const inline = inlineLabels(lines);
    for (let label = inline.from(0); label; label = inline.from(label.end)) found.push(label);
    return found;
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
