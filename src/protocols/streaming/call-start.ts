import type { ToolSpec } from "../../core/parts/protocol.js";
import { callKey } from "../reading/calls/json-groups.js";
import { matchesFrom } from "../reading/matches-from.js";
import { weakSignsFrom } from "../reading/sections/special-tokens.js";
import { ToolNames } from "../reading/tool-names.js";

/** The first place in a line that is not plain words. */
export interface Limit {
  readonly place: number;
  /** Tells whether the words end there. Otherwise more of the reply shows what it is. */
  readonly isEnd: boolean;
}

/** What begins at a place: a call, none, or either, which more of the reply will show. */
type Judgement = "call" | "none" | "open";

/** The beginning of a line, of a sentence or of code in backticks, before the name of a tool. */
const nameStart =
  /(?:^[ \t`*"']{0,9}(?:[a-z]\w{0,40}\s?=\s?)?|(?<=[.!?。] {0,2})|(?<=[\s:：])`)(?:print\()?(?=[\p{L}_]|$)/gu;
const valueStart = /(?:^(?:[a-z]\w{0,40}\s?=)?|[.!?:：>\]。！？])[ \t`*]{0,20}(?=[{[])/gu;
/** The key of a call in JSON without its braces. */
const keyStart = /^[ \t]{0,20}["'](?:(action|tool)["']|\w{0,6}$)/i;
const name = /[\p{L}_][\p{L}\p{N}_.\\-]{0,80}/uy;
const names = /[\p{L}_][\p{L}\p{N}_.\\-]{0,80}(?: [\p{L}\p{N}_]{1,30}){0,4}/uy;
/** What stands between the name of a tool and its arguments. */
const afterName = /^(?: ?[[({]|:?[ \t]{0,9}(?:\r?\n[ \t]{0,20})?\{)/;
const mayPrecedeArguments = /^:?[ \t]{0,9}(?:\r?\n[ \t]{0,20})?$/;
/** The number of signs of an object that show whether it may be a call. */
const headLength = 120;

/** Finds the place in a line at which a call may begin that has no label and no token before it. */
export class CallStart {
  readonly #tools: ToolNames;
  readonly #folded: readonly string[];

  constructor(tools: readonly ToolSpec[]) {
    this.#tools = new ToolNames(tools);
    this.#folded = this.#tools.names.map(folded);
  }

  /**
   * @param rest The reply from the line on.
   * @param from The place in the line from which calls may begin.
   */
  find(rest: string, line: string, from: number): Limit | undefined {
    const key = from === 0 ? keyStart.exec(rest) : null;
    const found: (readonly [place: number, Judgement])[] = [
      [0, key?.[1] ? "call" : key ? "open" : "none"],
      ...matchesFrom(nameStart, line, from).map((match) => [match.index, this.#named(rest, match)] as const),
      ...weakSignsFrom(line, from).map((match) => [match.index, this.#signed(rest, endOf(match))] as const),
      ...matchesFrom(valueStart, line, from).map(
        (match) => [valuePlace(match), this.#value(rest, endOf(match))] as const,
      ),
    ];
    const [first] = found.filter(([, judgement]) => judgement !== "none").sort(([one], [other]) => one - other);
    return first && { place: first[0], isEnd: first[1] === "call" };
  }

  #named(rest: string, match: RegExpExecArray): Judgement {
    const word = wordAt(names, rest, endOf(match));
    const end = endOf(match) + word.length;
    const after = rest.slice(end, end + 60);
    // Other words went out already.
    const waited = /[=(]/.test(match[0]) || /^[a-z]\w{0,40}$/.test(word) || this.#mayBecomeName(word);
    if (!waited) return "none";
    if (mayPrecedeArguments.test(after)) return "open";
    return afterName.test(after) && this.#tools.match(word) !== undefined ? "call" : "none";
  }

  #mayBecomeName(word: string): boolean {
    return this.#folded.some((known) => known.startsWith(folded(word)));
  }

  /** Judges what follows a sign that other texts have, too. */
  #signed(rest: string, place: number): Judgement {
    const word = wordAt(name, rest, place);
    const end = place + word.length;
    const value = end + (/^>?\s*/.exec(rest.slice(end))?.[0].length ?? 0);
    if (rest.length === end) return "open";
    if (word !== "" && (this.#tools.match(word) !== undefined || answerTag.test(word))) return "call";
    if (rest.length === value) return "open";
    return /[{[]/.test(rest.charAt(value)) ? this.#value(rest, value) : "none";
  }

  #value(rest: string, place: number): Judgement {
    const head = rest.slice(place, place + headLength);
    const inList = /^\[[[\s"'`]*([^[\s"'`].*|$)/s.exec(head)?.[1];
    const waits = rest.length - place < headLength ? "open" : "none";
    if (inList !== undefined && !inList.startsWith("{")) {
      if (/^[\p{L}_][\p{L}\p{N}_.\\-]*\s?\(/u.test(inList)) return "call";
      return /^(?:[\p{L}_][\p{L}\p{N}_.\\-]*\s?)?$/u.test(inList) ? waits : "none";
    }
    return callKey.test(head) || this.#tools.names.some((known) => head.includes(known)) ? "call" : waits;
  }
}

const answerTag = /^(?:final_answer|answer)$/i;

function endOf(match: RegExpExecArray): number {
  return match.index + match[0].length;
}

/** Returns the place of a value, or of the assignment before it. */
function valuePlace(match: RegExpExecArray): number {
  return /^\w/.test(match[0]) ? match.index : endOf(match);
}

function wordAt(pattern: RegExp, text: string, place: number): string {
  pattern.lastIndex = place;
  return pattern.exec(text)?.[0] ?? "";
}

/** Returns a name without case and without the signs that models change. */
function folded(written: string): string {
  return written.toLowerCase().replaceAll(/[\s_.\\-]/g, "");
}
