import { access, constants, stat } from "node:fs/promises";
import { dirname, join, parse } from "node:path";
import { fileURLToPath } from "node:url";
import type { StructuredToolInterface } from "@langchain/core/tools";
import type { Io } from "../io.js";
import { sqlitePath } from "../program/addresses.js";
import type { ToolName } from "../program/agent-command.js";
import { UsageError } from "../program/exit-codes.js";

export interface ToolSettings {
  /** The folder of documents to search; the sample documents that come with the package unless given. */
  readonly docs: string | undefined;
  /** The address of the threads' database: the documents' index is kept beside it. */
  readonly database: string;
  readonly env: Io["env"];
}

/** A tool that may hold something open. */
type LoadedTool = StructuredToolInterface & Partial<AsyncDisposable>;

/** The tools of these names, each imported only when it is wanted. */
export function loadTools(names: readonly ToolName[], settings: ToolSettings): Promise<LoadedTool[]> {
  return Promise.all(names.map((name) => loadTool(name, settings)));
}

async function loadTool(name: ToolName, { docs, database, env }: ToolSettings): Promise<LoadedTool> {
  switch (name) {
    case "calculator":
      return (await import("../../tools/calculator/calculator.js")).calculator();
    case "documents": {
      const folder = docs === undefined ? sampleDocuments() : await checkedFolder(docs);
      const { documentSearch } = await import("../../tools/document-search/document-search.js");
      return documentSearch({ folder, index: indexBeside(database) });
    }
    case "web":
      return (await import("../../tools/web-search/web-search.js")).webSearchFromEnvironment(env);
  }
}

/** The index file of the documents, in the folder of the threads; in memory (undefined) where the threads are no file. */
function indexBeside(database: string): string | undefined {
  const file = sqlitePath(database);
  return file && join(dirname(file), `${parse(file).name}.documents.db`);
}

function sampleDocuments(): string {
  return fileURLToPath(new URL("../../../knowledge", import.meta.url));
}

async function checkedFolder(folder: string): Promise<string> {
  const problem = await problemOf(folder);
  if (problem === undefined) return folder;
  throw new UsageError(`--docs: ${problem}. Give one with Markdown or text files.`);
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
