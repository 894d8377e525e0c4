/** The tags of calls in the text of a reply. */
const callTag = /<(?:tool_?call|tool_use|function|invoke|action)\b/i;
/** The key of a call without its braces, or a list of calls. */
const keyOrList = /^[ \t]{0,20}["'](?:action|tool)["']|^\s{0,9}\[/i;
const openTag = /<[\w.-]{0,40}$/;
const callKey =
  /["'](?:action|tool|name|function|recipient|final|answer)|\b(?:action|tool|name|function|final_answer)["']?\s{0,9}:/i;
/** The number of signs of an object that show whether it may be a call. */
const headLength = 120;

/** The place at which a call may begin. It waits if more of the reply will show whether it is one. */
export interface CallPlace {
  readonly place: number;
  readonly waits: boolean;
}

/** Finds the place in a line at which a call without a label may begin: JSON, a tag or `search(…)`. */
export class CallStart {
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
