import type { ToolSpec } from "../protocol.js";

/** A tool's name at the beginning of a text, and the text after it. */
export interface LeadingTool {
  readonly tool: string;
  readonly rest: string;
}

/**
 * Recognises the tools there are in what a model writes: `wikipedia`, `**Wikipedia**`, `"functions.wikipedia"`,
 * `duckduckgo\_search`, `the Wikipedia tool`. It never chooses between two that fit equally well.
 */
export class ToolNames {
  readonly names: readonly string[];
  private folded: ReadonlyMap<string, string | undefined> | undefined;
  private sorted: readonly string[] | undefined;

  constructor(tools: readonly (ToolSpec | string)[]) {
    this.names = tools
      .map((tool) => (typeof tool === "string" ? tool : tool.name))
      .filter((name) => name.trim() !== "");
  }

  // Most replies write a name as it is: the rest is made when one does not.

  private get byFold(): ReadonlyMap<string, string | undefined> {
    this.folded ??= foldedNames(this.names);
    return this.folded;
  }

  private get longestFirst(): readonly string[] {
    this.sorted ??= this.names.toSorted((a, b) => b.length - a.length);
    return this.sorted;
  }

  /** The tool a text names, and nothing else; undefined when there is none, or more than one. */
  match(written: string): string | undefined {
    if (written.length > longestName) return undefined;
    const text = written.trim();
    if (this.names.includes(text)) return text;
    for (const candidate of spellings(text)) {
      if (this.names.includes(candidate)) return candidate;
      const tool = this.byFold.get(fold(candidate));
      if (tool !== undefined) return tool;
    }
    return undefined;
  }

  /** The tool whose name a text begins with: the longest of them. */
  leading(text: string): LeadingTool | undefined {
    const start = text.slice(0, longestName).toLowerCase();
    for (const tool of this.longestFirst) {
      if (!start.startsWith(tool.toLowerCase())) continue;
      const rest = text.slice(tool.length);
      if (!continuesWord(tool, rest) && this.match(text.slice(0, tool.length)) === tool) return { tool, rest };
    }
    return undefined;
  }

  /** The tools that a line mentions, each as a word of its own and not as part of a longer name. */
  mentioned(line: string): readonly string[] {
    const text = line.slice(0, 4 * longestName);
    const found: string[] = [];
    for (const tool of this.longestFirst) {
      if (mentions(text, tool) && !found.some((other) => other.includes(tool))) found.push(tool);
    }
    return found;
  }
}

const longestName = 200;

/** The names by what is left of them without case and signs; those that are the same then have no name. */
function foldedNames(names: readonly string[]): ReadonlyMap<string, string | undefined> {
  const byFold = new Map<string, string | undefined>();
  for (const name of names) {
    const key = fold(name);
    const other = byFold.get(key);
    byFold.set(key, byFold.has(key) && other !== name ? undefined : name);
  }
  return byFold;
}

function fold(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[\s_\-.\\`'"*’]/g, "");
}

/** A written name with less and less around it. */
function spellings(text: string): string[] {
  const bare = strip(text);
  const local = bare.replace(/^(?:\w+[.:/])+(?=\w)/, "");
  const words = bare.replace(/^(?:use|using|call|calling|run|invoke|tool|function)\s*[:=]?\s+/i, "");
  const plain = words.replace(/^(?:the|a|an)\s+/i, "").replace(/\s+(?:tool|function|action|api)$/i, "");
  return [...new Set([bare, local, strip(words), strip(plain)])].filter(Boolean);
}

function strip(text: string): string {
  return text
    .replace(/^[\s"'`*_“”‘’«»<>[\](){}【】#-]+/, "")
    .replace(/[\s"'`*_“”‘’«»<>[\](){}【】.,;:。，；：]+$/, "")
    .replaceAll("\\_", "_");
}

function continuesWord(tool: string, rest: string): boolean {
  return /[\p{L}\p{N}_]$/u.test(tool) && /^[\p{L}\p{N}_]/u.test(rest);
}

function mentions(text: string, tool: string): boolean {
  for (let place = text.indexOf(tool); place >= 0; place = text.indexOf(tool, place + 1)) {
    const before = text.charAt(place - 1);
    if (
      !/[\p{L}\p{N}_]/u.test(before) &&
      !continuesWord(tool, text.slice(place + tool.length, place + tool.length + 2))
    )
      return true;
  }
  return false;
}
