import type { ToolSpec } from "../../core/parts/protocol.js";
import { callKey } from "../reading/calls/find-call.js";
import { protocolWords } from "../reading/label-words.js";
import { inlineLabelAtEnd, inlineLabels, type Label, labelOfLine, mayBecomeLabel } from "../reading/sections/labels.js";
import { endOfThinking, findToken, tokenAtEnd } from "../reading/sections/special-tokens.js";

/** Marks that may open an action: white space, a fence with its language, emphasis, a bracket. */
const openMarks = /\s*(?:(?:```|''')\w{0,12})?[\s*`'[<]*$/;

/** The first place in a line that is not plain words. */
interface Limit {
  readonly place: number;
  /** Tells whether the words end there. Otherwise more of the reply shows what it is. */
  readonly isEnd: boolean;
}

/**
 * Reads the words before an action or an answer, while the model writes them. They may turn out to be a thought, an
 * answer, or nothing. Labels, calls and thinking in tags are left out.
 */
export class WordsReader {
  readonly #calls: CallStart;
  /** The place from which the reply is not looked at: the beginning of a line, or the end of a label. */
  #place: number | undefined;
  #isLineStart = true;
  #shown = 0;
  #hasShown = false;
  #isOver = false;

  /** @param hasLabels Tells whether the protocol has labels. A reply with native calls has none. */
  constructor(
    tools: readonly ToolSpec[],
    private readonly hasLabels: boolean,
  ) {
    this.#calls = new CallStart(tools.map(({ name }) => name));
  }

  /** Takes the whole reply so far. Returns the new words. */
  push(reply: string): string {
    let words = "";
    while (!this.#isOver) {
      this.#place ??= this.#begin(reply);
      if (this.#place === undefined) return words;
      const newline = reply.indexOf("\n", this.#place);
      const isFinished = newline >= 0;
      const line = reply.slice(this.#place, isFinished ? newline : undefined);
      const label = this.hasLabels && this.#isLineStart ? thoughtLabel(line, isFinished) : undefined;
      const limit = label ? { place: 0, isEnd: false } : this.#limit(reply, line, isFinished);
      words += this.#show(reply, this.#place + (limit?.place ?? line.length));
      this.#isOver = limit?.isEnd ?? false;
      if (label) this.#goOn(this.#place + label.end, false);
      else if (limit || !isFinished) return words;
      else this.#goOn(newline + 1, true);
    }
    return words;
  }

  #begin(reply: string): number | undefined {
    const place = endOfThinking(reply);
    this.#shown = place ?? 0;
    return place;
  }

  #goOn(place: number, isLineStart: boolean): void {
    this.#place = place;
    this.#isLineStart = isLineStart;
    if (!isLineStart) this.#shown = place;
  }

  #show(reply: string, end: number): string {
    if (!this.#hasShown) this.#shown += spacesAt(reply.slice(this.#shown, end));
    const words = reply.slice(this.#shown, end).replace(openMarks, "");
    this.#hasShown ||= words !== "";
    this.#shown += words.length;
    return words;
  }

  #limit(reply: string, line: string, isFinished: boolean): Limit | undefined {
    const limits = [this.#label(line, isFinished), this.#call(reply, line, isFinished), tokenIn(line, isFinished)];
    return limits.filter((limit) => limit !== undefined).sort((one, other) => one.place - other.place)[0];
  }

  #label(line: string, isFinished: boolean): Limit | undefined {
    if (!this.hasLabels) return undefined;
    const label = this.#isLineStart ? labelOfLine(line, protocolWords) : undefined;
    if (label && !isFinished) return { place: 0, isEnd: false };
    if (label && begins(label)) return { place: 0, isEnd: true };
    if (!isFinished && this.#isLineStart && mayBecomeLabel(line, protocolWords)) return { place: 0, isEnd: false };
    const [inline] = inlineLabels(line);
    if (inline) return { place: inline.start, isEnd: true };
    return isFinished ? undefined : openFrom(inlineLabelAtEnd(line), line);
  }

  #call(reply: string, line: string, isFinished: boolean): Limit | undefined {
    const found = this.#calls.find(reply.slice(this.#place), line.length, isFinished);
    return found && { place: found.place, isEnd: !found.waits };
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

function spacesAt(text: string): number {
  return text.length - text.trimStart().length;
}

function tokenIn(line: string, isFinished: boolean): Limit | undefined {
  const token = findToken(line, 0);
  if (token !== undefined) return { place: token, isEnd: true };
  return isFinished ? undefined : openFrom(tokenAtEnd(line), line);
}

function openFrom(place: number, line: string): Limit | undefined {
  return place < line.length ? { place, isEnd: false } : undefined;
}

/** The tags of calls in the text of a reply. */
const callTag = /<(?:tool_?call|tool_use|function|invoke|action)\b/i;
/** The key of a call without its braces, or a list of calls. */
const keyOrList = /^[ \t]{0,20}["'](?:action|tool)["']|^\s{0,9}\[/i;
const openTag = /<[\w.-]{0,40}$/;
/** The number of signs of an object that show whether it may be a call. */
const headLength = 120;

/** The place at which a call may begin. It waits if more of the reply will show whether it is one. */
interface CallPlace {
  readonly place: number;
  readonly waits: boolean;
}

/** Finds the place in a line at which a call without a label may begin: JSON, a tag or `search(…)`. */
class CallStart {
  readonly #names: readonly string[];
  readonly #opening: RegExp;

  /** @param names The names of the tools. */
  constructor(names: readonly string[]) {
    this.#names = names;
    const name = names.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)).join("|");
    this.#opening = new RegExp(`^[ \\t\`*]{0,9}(?:print\\()?(?:${name})\\s?[[({]|<(?:${name})>`, "iu");
  }

  /**
   * Looks at a line of a reply.
   *
   * @param rest The reply from the line on.
   * @param length The length of the line.
   * @param isFinished Tells whether the line is finished.
   */
  find(rest: string, length: number, isFinished: boolean): CallPlace | undefined {
    const line = rest.slice(0, length);
    const beginnings = [callTag, ...(this.#names.length > 0 ? [this.#opening] : []), keyOrList];
    const places = beginnings.flatMap((pattern) => pattern.exec(line)?.index ?? []);
    const found = this.#object(rest, line) ?? (isFinished ? undefined : this.#open(line));
    const place = Math.min(...places);
    return place <= (found?.place ?? line.length) ? { place, waits: false } : found;
  }

  #object(rest: string, line: string): CallPlace | undefined {
    for (const { index, 0: before } of line.matchAll(/(?:^|[.!?:：>\]。！？])[ \t`*]{0,20}(?=\{)/g)) {
      const place = index + before.length;
      const head = rest.slice(place, place + headLength);
      if (callKey.test(head) || this.#names.some((name) => head.includes(name))) return { place, waits: false };
      if (head.length < headLength) return { place, waits: true };
    }
    return undefined;
  }

  /** Finds a tag or the name of a tool at the end of a line that is still being written. */
  #open(line: string): CallPlace | undefined {
    const tag = openTag.exec(line);
    if (tag) return { place: tag.index, waits: true };
    const word = line
      .replace(/^[ \t`*]{0,9}(?:print\()?/, "")
      .trimEnd()
      .toLowerCase();
    const isName = word !== "" && ["print(", ...this.#names].some((name) => name.toLowerCase().startsWith(word));
    const isOpen = isName || /^[ \t`*]{0,9}print\($|^[ \t]{0,20}["']\w{0,6}$/.test(line);
    return isOpen ? { place: 0, waits: true } : undefined;
  }
}
