import type { DocumentRetriever } from "../../../documents/retriever.js";
import type { Io } from "../../io.js";
import { databaseUrl } from "../../program/addresses.js";
import { databaseOption } from "../../program/agent-command.js";
import { UsageError } from "../../program/exit-codes.js";
import { programCommand } from "../../program/program-command.js";
import { settingOptions, settings, typedSettings } from "../../program/settings.js";
import { checkedFolder, indexBeside } from "../../session/load-tools.js";

/** Makes a command with the options of an index. */
export function documentsCommand(name: string, io: Io) {
  const command = programCommand(name, io)
    .argument("<dir>", "the folder of the documents")
    .option("--index <file>", "the file of the index (default: beside the threads, where `ask --docs` looks)");
  for (const option of settingOptions([settings.embeddings, settings.embeddingsUrl])) command.addOption(option);
  return command.addOption(databaseOption()).option("--json", "print JSON");
}

/** What the options of an index say, beside its settings. */
export interface DocumentsCommandOptions {
  readonly index?: string;
  readonly db?: string;
  readonly json?: boolean;
}

/** The documents of a command, and where their index is. */
export interface OpenedDocuments {
  readonly docs: DocumentRetriever;
  readonly index: string;
}

/** Opens the documents of a folder. What is needed for them is imported only now. */
export async function openDocuments(
  dir: string,
  options: DocumentsCommandOptions,
  io: Io,
  maxResults?: number,
): Promise<OpenedDocuments> {
  const folder = await checkedFolder(dir, "<dir>");
  const index = options.index ?? indexBeside(databaseUrl(options.db, io.env));
  if (index === undefined) throw new UsageError("Say where the index is, with --index: the threads are not in a file.");
  const embeddings = await embeddingsOf(options, io);
  const { documents } = await import("../../../documents/documents.js");
  return { docs: documents({ folder, index, embeddings, maxResults }), index };
}

/** Loads the embedding model that the options and the environment name, as a session does. */
async function embeddingsOf(options: DocumentsCommandOptions, io: Io) {
  const [{ ChosenSettings, environmentLayer, typedLayer }, { embeddingServer }, { tellWithheld }] = await Promise.all([
    import("../../session/chosen-settings.js"),
    import("../../session/embedding-server.js"),
    import("../../session/notices.js"),
  ]);
  const chosen = new ChosenSettings([typedLayer(typedSettings(options)), environmentLayer(io)]);
  const server = embeddingServer(chosen, io);
  const embeddings = await server?.load();
  if (server?.withheld) tellWithheld([server.withheld], io);
  return embeddings;
}
