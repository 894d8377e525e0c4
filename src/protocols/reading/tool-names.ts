import { escaped } from "../../base/escaped.js";
import type { ToolSpec } from "../../tool-inputs/tool-spec.js";

/** The tools of an agent, or only the names of some. */
export type KnownTools = readonly (ToolSpec | string)[];

/**
 * The tool names of an agent. Recognises a name in a model's spelling: `wikipedia`, `**Wikipedia**`, `"functions.wikipedia"`,
 * `duckduckgo\_search`, `the Wikipedia tool`. If two names fit equally well, neither is chosen.
 */
export class ToolNames {
  readonly names: readonly string[];
  private folded: ReadonlyMap<string, string | undefined> | undefined;

  constructor(readonly tools: KnownTools) {
    this.names = tools
      .map((tool) => (typeof tool === "string" ? tool : tool.name))
      .filter((name) => name.trim() !== "");
  }

  /** Returns the description of the tool that a text names; undefined if there is none. */
  spec(written = ""): ToolSpec | undefined {
    const name = this.match(written);
    return this.tools.find((tool): tool is ToolSpec => typeof tool !== "string" && tool.name === name);
  }

  /** The names without case and signs. They are made only for another spelling, as most replies write the exact name. */
  private get byFold(): ReadonlyMap<string, string | undefined> {
    this.folded ??= foldedNames(this.names);
    return this.folded;
  }

  /** Returns the tool that a text names. Returns undefined if the text has other words, no tool, or several tools. */
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

  /** Tells whether JSON may hold the name of a tool, in another spelling or escaped, too. */
  mayStandIn(json: string): boolean {
    const folded = fold(json);
    return json.includes("\\u") || [...this.byFold.keys()].some((name) => folded.includes(name));
  }

  /** Returns the tools that a line mentions. A tool counts as its own word, not as a part of a longer name. */
  mentioned(line: string): readonly string[] {
    const text = line.slice(0, 4 * longestName);
    const found: string[] = [];
    for (const tool of this.names.toSorted((one, other) => other.length - one.length)) {
      if (mentions(text, tool) && !found.some((other) => other.includes(tool))) found.push(tool);
    }
    return found;
  }
}

const longestName = 200;

/** Maps the names without case and signs to the tools. A form that two tools share maps to no tool. */
function foldedNames(names: readonly string[]): ReadonlyMap<string, string | undefined> {
  const byFold = new Map<string, string | undefined>();
  for (const name of names) {
    const key = fold(name);
    byFold.set(key, byFold.has(key) && byFold.get(key) !== name ? undefined : name);
  }
  return byFold;
}

function fold(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[\s_\-.\\`'"*’]/g, "");
}

/** Returns the name of a tool in several forms, with less and less text around it. */
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

function mentions(text: string, tool: string): boolean {
  const sign = String.raw`[\p{L}\p{N}_]`;
  return text.includes(tool) && new RegExp(`(?<!${sign})${escaped(tool)}(?!${sign})`, "u").test(text);
}
