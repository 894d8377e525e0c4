import type { Io } from "../../io.js";
import { databaseUrl } from "../../program/addresses.js";
import { ChosenSettings } from "../../program/chosen-settings.js";
import { UsageError } from "../../program/exit-codes.js";
import { databaseOption, type NewCommand, type PrintOptions } from "../../program/options.js";
import { settingOptions, settings, typedSettings } from "../../program/settings.js";
import { checkedFolder, indexBeside } from "../../session/load-tools.js";

/** Adds the options of an index. */
export function withIndexOptions(outer: NewCommand) {
  const command = outer
    .argument("<dir>", "the folder of the documents")
    .option("--index <file>", "the file of the index (default: beside the threads, where `ask --docs` looks)");
  for (const option of settingOptions([settings.embeddings, settings.embeddingsUrl])) command.addOption(option);
  return command.addOption(databaseOption()).option("--json", "print JSON");
}

/** What the options of an index say, beside its settings. */
export interface IndexOptions extends PrintOptions {
  readonly index?: string;
}

/** Opens the documents of a folder, and tells where their index is. What is needed for them is imported only now. */
export async function openDocuments(dir: string, options: IndexOptions, io: Io, maxResults?: number) {
  const folder = await checkedFolder(dir, "<dir>");
  const index = options.index ?? indexBeside(databaseUrl(options.db, io));
  if (index === undefined) throw new UsageError("Say where the index is, with --index: the threads are not in a file.");
  const embeddings = await embeddingsOf(options, io);
  const { documents } = await import("../../../documents/documents.js");
  return { docs: documents({ folder, index, embeddings, maxResults }), index };
}

/** Loads the embedding model that the options and the environment name, as a session does. */
async function embeddingsOf(options: IndexOptions, io: Io) {
  const { embeddingServer, tellWithheld } = await import("../../session/server.js");
  const chosen = new ChosenSettings(typedSettings(options), io);
  const server = embeddingServer(chosen, io);
  const embeddings = await server?.load();
  tellWithheld([server], io);
  return embeddings;
}
