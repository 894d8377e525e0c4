import type { ToolSpec } from "../../core/parts/protocol.js";
import { protocolWords } from "../reading/label-words.js";
import { inlineLabelAtEnd, inlineLabels, type Label, labelOfLine, mayBecomeLabel } from "../reading/sections/labels.js";
import { endOfThinking, findToken, tokenAtEnd } from "../reading/sections/special-tokens.js";
import { CallStart, type Limit } from "./call-start.js";

/** Marks that may open an action: white space, a fence with its language, emphasis, a bracket. */
const openMarks = /\s*(?:(?:```|''')\w{0,12})?[\s*`'[<]*$/;

/** The most characters by which the beginning of a label, a call or a token is known. */
export const longestStart = 100;

/**
 * Reads the words before an action or an answer, while the model writes them. They may turn out to be a thought, an
 * answer, or nothing. Labels, calls and thinking in tags are left out.
 */
export class WordsReader {
  readonly #calls: CallStart;
  /** The place from which the reply is not looked at: the beginning of a line, or the end of a label. */
  #place: number | undefined;
  #isLineStart = true;
  /** The length of the line's beginning that is words, whatever comes. It is not looked at again: a line may be long. */
  #settled = 0;
  #shown: number | undefined;
  #hasShown = false;
  #isOver = false;

  /** @param hasLabels Tells whether the protocol has labels. A reply with native calls has none. */
  constructor(
    tools: readonly ToolSpec[],
    private readonly hasLabels: boolean,
  ) {
    this.#calls = new CallStart(tools);
  }

  /** Takes the whole reply so far. Returns the new words. */
  push(reply: string): string {
    let words = "";
    while (!this.#isOver) {
      this.#place ??= endOfThinking(reply);
      if (this.#place === undefined) return words;
      this.#shown ??= this.#place;
      const newline = reply.indexOf("\n", this.#place);
      const isFinished = newline >= 0;
      const line = reply.slice(this.#place, isFinished ? newline : undefined);
      const label = this.hasLabels && this.#isLineStart ? thoughtLabel(line, isFinished) : undefined;
      const limit = label ? { place: 0, isEnd: false } : this.#limit(reply, line, isFinished);
      words += this.#show(reply, this.#place + (limit?.place ?? line.length));
      this.#isOver = limit?.isEnd ?? false;
      if (label) this.#goOn(this.#place + label.end, false);
      else if (limit || !isFinished) {
        this.#settled = Math.max(0, (limit?.place ?? line.length) - longestStart);
        return words;
      } else this.#goOn(newline + 1, true);
    }
    return words;
  }

  #goOn(place: number, isLineStart: boolean): void {
    this.#place = place;
    this.#isLineStart = isLineStart;
    this.#settled = 0;
    if (!isLineStart) this.#shown = place;
  }

  #show(reply: string, end: number): string {
    const written = reply.slice(this.#shown, end);
    const start = this.#hasShown ? 0 : written.length - written.trimStart().length;
    const words = written.slice(start).replace(openMarks, "");
    this.#hasShown ||= words !== "";
    this.#shown = (this.#shown ?? 0) + start + words.length;
    return words;
  }

  #limit(reply: string, line: string, isFinished: boolean): Limit | undefined {
    const label = this.#label(line, isFinished);
    if (label?.place === 0) return label;
    const token = findToken(line, this.#settled);
    const limits = [
      label,
      this.#calls.find(reply.slice(this.#place), line, this.#settled),
      token === undefined ? undefined : { place: token, isEnd: true },
      isFinished ? undefined : openFrom(tokenAtEnd(line), line),
    ];
    return limits.filter((limit) => limit !== undefined).sort((one, other) => one.place - other.place)[0];
  }

  #label(line: string, isFinished: boolean): Limit | undefined {
    if (!this.hasLabels) return undefined;
    const label = this.#isLineStart ? labelOfLine(line, protocolWords) : undefined;
    if (label && !isFinished) return { place: 0, isEnd: false };
    if (label && begins(label)) return { place: 0, isEnd: true };
    if (!isFinished && this.#isLineStart && mayBecomeLabel(line, protocolWords)) return { place: 0, isEnd: false };
    const [inline] = inlineLabels(line, this.#settled);
    if (inline) return { place: inline.start, isEnd: true };
    return isFinished ? undefined : openFrom(inlineLabelAtEnd(line), line);
  }
}

/** Tells whether a label begins something else than words. A weak one may be a heading in them. */
function begins({ kind, weak }: Label): boolean {
  return kind === "action" || kind === "answer" || !weak;
}

/** Returns the label of a thought. Emphasis may end after its colon. */
function thoughtLabel(line: string, isFinished: boolean): Label | undefined {
  const label = labelOfLine(line, protocolWords);
  if (label?.kind !== "thought" || label.weak) return undefined;
  return isFinished || line.length >= label.end + 3 || /^[^*_`:]/.test(line.charAt(label.end)) ? label : undefined;
}

function openFrom(place: number, line: string): Limit | undefined {
  return place < line.length ? { place, isEnd: false } : undefined;
}
