import type { ReplyPiece, ReplyReader } from "../../core/parts/protocol.js";
import type { ParsedReply } from "../../core/state/decision.js";
import type { ToolSpec } from "../../tool-inputs/tool-spec.js";
import { CertainText } from "../reading/certain-text.js";
import { findJsonAnswers, JsonAnswerReader } from "../reading/json-answer.js";
import { protocolWords } from "../reading/label-words.js";
import { callSigns } from "../reading/sections/held-signs.js";
import { inlineLabels, type Label, labelOfLine } from "../reading/sections/labels.js";
import { endOfThinking } from "../reading/sections/special-tokens.js";
import { AnswerText } from "./answer-text.js";
import { ReplyWords } from "./reply-words.js";

/** An answer up to its first letter. */
const firstLetter = /(?:\\[^u]|[^\p{L}\p{N}\\]){0,40}(?:\\u[\da-f]{4}|[\p{L}\p{N}])/iuy;
/** The most signs of a label, and of what shows that it is one. */
const longestLabel = 100;

/**
 * Reads a reply with labels, such as `Final Answer:`, or with an answer in JSON. Words go out line by line, up to a label or to what
 * may be a call. Then the answer goes out as it comes, if the parser takes its first letter for an answer.
 */
export class LabelReader implements ReplyReader {
  readonly #words: ReplyWords;
  readonly #text = new CertainText();
  /** The line that is not finished, and the place from which labels are looked for in it. */
  #line: number | undefined;
  #from = 0;
  #answer: AnswerText | JsonAnswerReader | undefined;
  /** Tells whether the parser reads the answer, too. It is asked once, up to the first letter. */
  #isRead: boolean | undefined;
  #hasObservation = false;
  #end: number | undefined;

  /** @param isOwn Tells whether a label is one of the protocol. Default: if no other text has it. */
  constructor(
    private readonly protocol: { parse(reply: string, tools: readonly ToolSpec[]): ParsedReply },
    private readonly tools: readonly ToolSpec[],
    private readonly isOwn = ({ weak }: Label): boolean => !weak,
  ) {
    this.#words = new ReplyWords(callSigns(tools));
  }

  push(textSoFar: string): ReturnType<ReplyReader["push"]> {
    const words: ReplyPiece = { kind: "words", text: this.#readLines(textSoFar) };
    const answer: ReplyPiece = { kind: "answer", text: this.#readAnswer(textSoFar.slice(0, this.#end)) };
    return { pieces: [words, answer], ...(this.#end !== undefined && { end: this.#end }) };
  }

  #readLines(reply: string): string {
    const start = this.#line ?? endOfThinking(reply);
    if (start === undefined) return "";
    if (this.#line === undefined) this.#words.skip(start);
    let line = start;
    const [json = Number.POSITIVE_INFINITY] = findJsonAnswers(reply, this.#from);
    let words = "";
    while (this.#end === undefined) {
      const end = reply.indexOf("\n", line) + 1;
      const lines = reply.slice(0, end || undefined);
      words += this.#readLabels(lines, line);
      if (json <= lines.length) this.#begin(new JsonAnswerReader(json));
      if (end === 0) break;
      words += this.#words.push(lines, end);
      line = end;
    }
    this.#line = line;
    this.#from = Math.max(this.#from, reply.length - longestLabel);
    return words;
  }

  #readLabels(reply: string, line: number): string {
    const own = this.#from <= line ? labelOfLine(reply, protocolWords, line) : undefined;
    const inline = inlineLabels(reply, Math.max(own?.end ?? line, this.#from));
    let words = "";
    for (const label of own ? [own, ...inline] : inline) {
      // Emphasis may end after the colon of a label: `**Final Answer:** 42`.
      const isRead = /[^*_`:]/.test(reply.charAt(label.end)) || (label.colon && label.end + 3 <= reply.length);
      if (!isRead || this.#end !== undefined) break;
      words += this.#words.push(reply.slice(0, label.end), label.start);
      this.#read(label, reply.slice(0, label.end));
      this.#from = label.end;
    }
    return words;
  }

  #read(label: Label, reply: string): void {
    const { kind, weak, colon, inline, start, end } = label;
    const isThought = kind === "thought" && !weak && !inline;
    if (isThought) this.#words.skip(end);
    if (colon && this.isOwn(label)) {
      if (kind === "observation" && !inline) this.#readObservation(reply, start);
      // JSON that is open before a label may close after it. Then it was none.
      const mayBegin = this.#words.isOver ? !/[[{]/.test(reply) : this.#words.limit >= start;
      if (kind === "answer" && mayBegin) this.#begin(new AnswerText(end));
    }
    this.#words.isOver ||= !isThought && (kind === "action" || kind === "answer" || !weak);
  }

  #begin(answer: AnswerText | JsonAnswerReader): void {
    this.#words.isOver = true;
    this.#answer ??= answer;
  }

  /** Ends a reply at an observation that the model invents after a step. Stop texts find only the form of the prompt. */
  #readObservation(reply: string, start: number): void {
    if (this.#hasObservation || !(this.#words.isOver || this.#words.limit < start)) return;
    this.#hasObservation = true;
    const read = this.protocol.parse(reply, this.tools);
    if (read.kind === "action" && !read.actions.at(-1)?.log.endsWith(reply.slice(start).trim())) this.#end = start;
  }

  #readAnswer(reply: string): string {
    if (this.#answer === undefined) return "";
    firstLetter.lastIndex = this.#answer.start;
    if (this.#isRead === undefined && firstLetter.test(reply)) {
      const read = this.protocol.parse(reply.slice(0, firstLetter.lastIndex), this.tools);
      this.#isRead = read.kind === "finish" && read.output.replaceAll(/[^\p{L}\p{N}]/gu, "").length === 1;
    }
    return this.#isRead ? this.#text.grow(this.#answer.push(reply)) : "";
  }
}
