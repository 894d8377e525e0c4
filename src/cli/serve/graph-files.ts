import { readFileSync, statSync } from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseEnv } from "node:util";
import { z } from "zod";
import { attempted, parsedJson } from "../../base/attempted.js";
import { SetupError } from "../../base/errors.js";
import { codeOf, messageOf } from "../../base/message-of.js";
import { hasMethods } from "../../base/options.js";
import type { GraphHolder, ServedGraph } from "../../server/engine/served-graph.js";
import { UsageError } from "../program/exit-codes.js";

/** The parts of LangGraph's `langgraph.json` that name graphs, and the file with variables for them. */
const langgraphSchema = z.object({
  graphs: z
    .record(z.string(), z.union([z.string(), z.object({ path: z.string() }).transform(({ path }) => path)]))
    .refine((graphs) => Object.keys(graphs).length > 0),
  env: z.union([z.string(), z.record(z.string(), z.string())]).optional(),
});

/** Graphs by their names, as clients call them. */
export type NamedGraphs = Record<string, ServedGraph | GraphHolder>;

/**
 * Loads the graphs of a `langgraph.json`. The variables of its `env` are set first, unless they are set already.
 *
 * @throws UsageError if the file or one of its graphs cannot be loaded; SetupError if that needs a package.
 */
export async function loadLanggraphFile(path: string): Promise<NamedGraphs> {
  const parsed = langgraphSchema.safeParse(parsedJson(readText(path)));
  if (!parsed.success) throw new UsageError(`${path}: give { "graphs": { "NAME": "./FILE.js:EXPORT" } }.`);
  const folder = dirname(resolve(path));
  setVariables(folder, parsed.data.env);
  const loaded: NamedGraphs = {};
  for (const [name, place] of Object.entries(parsed.data.graphs)) {
    const colon = place.lastIndexOf(":");
    if (colon <= 0) throw new UsageError(`${path}: graphs.${name}: give "./FILE.js:EXPORT", not "${place}".`);
    const file = resolve(folder, place.slice(0, colon));
    loaded[name] = await graphIn(await importFile(file), place.slice(colon + 1), file);
  }
  return loaded;
}

/** Loads the graphs that a module exports. The default export has the name of the file. */
export async function loadModule(path: string): Promise<NamedGraphs> {
  const exported = await importFile(resolve(path));
  const graphs = Object.entries(exported).filter(([, value]) => isGraph(value));
  if (graphs.length === 0)
    throw new UsageError(`${path} exports no agent. Write: export const agent = createAgent({ … });`);
  return Object.fromEntries(
    graphs.map(([name, graph]) => [name === "default" ? basename(path, extname(path)) : name, graph]),
  ) as NamedGraphs;
}

function setVariables(folder: string, env: string | Readonly<Record<string, string>> | undefined): void {
  const text = typeof env === "string" ? attempted(() => readFileSync(join(folder, env), "utf8")) : undefined;
  const variables = typeof env === "object" ? env : parseEnv(text ?? "");
  for (const [name, value] of Object.entries(variables)) process.env[name] ??= value;
}

async function graphIn(
  exported: Readonly<Record<string, unknown>>,
  name: string,
  file: string,
): Promise<NamedGraphs[string]> {
  const value = exported[name];
  const made = typeof value === "function" ? await value() : await value;
  const graph = isBuilder(made) ? made.compile() : made;
  if (isGraph(graph)) return graph;
  throw new UsageError(`${file} has no graph "${name}". It exports: ${Object.keys(exported).join(", ") || "nothing"}.`);
}

function isGraph(value: unknown): value is NamedGraphs[string] {
  return hasMethods(value, ["stream", "getState", "updateState", "getGraphAsync"]);
}

function isBuilder(value: unknown): value is { compile(): unknown } {
  return hasMethods(value, ["compile"]);
}

async function importFile(path: string): Promise<Record<string, unknown>> {
  if (!attempted(() => statSync(path))?.isFile()) throw new UsageError(`${path}: there is no such file.`);
  try {
    const url = pathToFileURL(path).href;
    return /\.[mc]?tsx?$/.test(path) ? await (await typeScript()).import(url, import.meta.url) : await import(url);
  } catch (error) {
    if (codeOf(error) === "ERR_MODULE_NOT_FOUND")
      throw new UsageError(`${path} cannot be loaded: ${messageOf(error)}.`);
    // Its stack does not say where it is.
    if (error instanceof SyntaxError)
      throw new UsageError(`${path} cannot be loaded: ${messageOf(error)}. "node ${path}" shows the line.`);
    throw error;
  }
}

let loader: { import(file: string, from: string): Promise<Record<string, unknown>> } | undefined;

/** Returns what imports TypeScript, also where a `.js` stands for a `.ts`. All graphs share the modules that they import. */
async function typeScript() {
  const tsx = await import("tsx/esm/api").catch((cause: unknown) => {
    throw new SetupError("missing-package", "tsx", "Graphs in TypeScript", { cause });
  });
  loader ??= tsx.register({ namespace: "graphs" });
  return loader;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${messageOf(error)}.`);
  }
}
