import { access, constants, stat } from "node:fs/promises";
import { dirname, format, join, parse } from "node:path";
import { packageFolder } from "../../base/package-folder.js";
import type { McpTools } from "../../tools/mcp/mcp-tools.js";
import { loadTool, type NamedTool, type ToolName } from "../../tools/named-tools.js";
import type { Io } from "../io.js";
import { sqlitePath } from "../program/addresses.js";
import { UsageError } from "../program/exit-codes.js";
import type { EmbeddingServer } from "./server.js";

interface ToolSettings {
  /** The folder of documents to search; the sample documents of the package by default. */
  readonly docs: string | undefined;
  /** The model for the vectors of documents; undefined for a search by words alone. */
  readonly embedding: EmbeddingServer | undefined;
  /** The address of the threads' database. The documents' index is kept beside it. */
  readonly database: string;
  readonly env: Io["env"];
}

/** Loads the tools with these names. Each is imported only when it is needed. */
export async function loadTools(
  names: readonly ToolName[],
  { docs, embedding, database, env }: ToolSettings,
): Promise<NamedTool[]> {
  const documents = docs === undefined || !names.includes("documents") ? sampleDocuments() : await checkedFolder(docs);
  const places = { documents, index: indexBeside(database), embeddings: await embedding?.load(), env };
  return Promise.all(names.map((name) => loadTool(name, places)));
}

/**
 * Returns the path of the documents' index, in the folder of the threads. It is undefined (in memory) if the threads
 * are not in a file.
 */
export function indexBeside(database: string): string | undefined {
  const file = sqlitePath(database);
  return file && join(dirname(file), `${parse(file).name}.documents.db`);
}

function sampleDocuments(): string {
  return join(packageFolder(), "knowledge");
}

/** Returns the folder. @throws UsageError if there is none, or it may not be read. */
export async function checkedFolder(folder: string, option = "--docs"): Promise<string> {
  const problem = await problemOf(folder);
  if (problem === undefined) return folder;
  throw new UsageError(`${option}: ${problem}. Give one with documents.`);
}

async function problemOf(folder: string): Promise<string | undefined> {
  const found = await stat(folder).catch(() => undefined);
  if (!found) return `there is no folder "${folder}"`;
  if (!found.isDirectory()) return `"${folder}" is no folder`;
  const mayRead = access(folder, constants.R_OK | constants.X_OK);
  return mayRead.then(
    () => undefined,
    () => `you may not read the folder "${folder}"`,
  );
}

/**
 * Connects to the MCP servers of a file. The definitions of their tools are pinned in a file beside it: those of
 * `.mcp.json` in `.mcp.lock.json`.
 */
export async function loadMcpTools(file: string, env: Io["env"]): Promise<McpTools> {
  const [{ readMcpFile }, { mcpTools }] = await Promise.all([
    import("../../tools/mcp/mcp-file.js"),
    import("../../tools/mcp/mcp-tools.js"),
  ]);
  return mcpTools({ servers: await readMcpFile(file, env), pins: lockFile(file) });
}

function lockFile(file: string): string {
  const { dir, base } = parse(file);
  return format({ dir, base: `${base.replace(/\.json$/, "")}.lock.json` });
}
