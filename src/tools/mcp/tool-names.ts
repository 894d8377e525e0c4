import { hash } from "node:crypto";

/** A tool's name at its server. */
export interface ServedTool {
  readonly server: string;
  readonly tool: string;
}

/** The most characters that OpenAI's API takes in the name of a tool. */
const longestName = 64;

/**
 * Names the tools of several servers, so that a model can call each. A tool keeps its name, with `_` for characters that
 * model providers refuse. Tools of the same name get their servers' names before them, whatever their order.
 *
 * @param alwaysPrefixed Puts the server's name before each tool's name.
 */
export function nameTools(tools: readonly ServedTool[], alwaysPrefixed: boolean): string[] {
  const short = tools.map((served) => callable(alwaysPrefixed ? prefixed(served) : served.tool));
  const long = tools.map((served, index) =>
    isShared(short[index], short) ? callable(prefixed(served)) : short[index],
  );
  return tools.map((served, index) => {
    const name = long[index] ?? "";
    return isShared(name, long) ? withDigest(name, prefixed(served)) : name;
  });
}

function prefixed({ server, tool }: ServedTool): string {
  return `${server}__${tool}`;
}

function isShared(name: string | undefined, names: readonly (string | undefined)[]): boolean {
  return names.indexOf(name) !== names.lastIndexOf(name);
}

function callable(name: string): string {
  const plain = name.replaceAll(/[^\w-]/g, "_");
  return plain.length > longestName ? withDigest(plain, name) : plain;
}

function withDigest(name: string, whole: string): string {
  return `${name.slice(0, longestName - 9)}_${hash("sha256", whole).slice(0, 8)}`;
}
