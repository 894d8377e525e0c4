import type { DocumentRetriever } from "../../../documents/retriever.js";
import { isPostgresAddress, placeOf } from "../../../postgres/postgres-address.js";
import type { Io } from "../../io.js";
import { databaseUrl } from "../../program/addresses.js";
import { databaseOption } from "../../program/agent-command.js";
import { UsageError } from "../../program/exit-codes.js";
import { programCommand } from "../../program/program-command.js";
import { checkedFolder, indexBeside } from "../../session/load-tools.js";

/** Makes a command with the options of an index. */
export function documentsCommand(name: string, io: Io) {
  return programCommand(name, io)
    .argument("<dir>", "the folder of the documents")
    .option(
      "--index <file>",
      "a file, or postgres://USER:PASSWORD@HOST/DATABASE (default: beside the threads, where `ask --docs` looks)",
    )
    .option("--embeddings <name>", '"openai:NAME": an embedding model, to find passages by their meaning, too')
    .option("--base-url <url>", "the server of the embedding model; it needs no key (env: OPENAI_BASE_URL)")
    .addOption(databaseOption())
    .option("--json", "print JSON");
}

/** What the options of an index say. */
export interface DocumentsCommandOptions {
  readonly index?: string;
  readonly embeddings?: string;
  readonly baseUrl?: string;
  readonly db?: string;
  readonly json?: boolean;
}

/** The documents of a command, and where their index is, without a password. */
export interface OpenedDocuments {
  readonly docs: DocumentRetriever;
  readonly index: string;
}

/** Opens the documents of a folder. What is needed for them is imported only now. */
export async function openDocuments(
  dir: string,
  { index, embeddings, baseUrl, db }: DocumentsCommandOptions,
  { env }: Pick<Io, "env">,
  maxResults?: number,
): Promise<OpenedDocuments> {
  const folder = await checkedFolder(dir, "<dir>");
  const file = index ?? indexBeside(databaseUrl(db, env));
  if (file === undefined) throw new UsageError("Say where the index is, with --index: the threads are not in a file.");
  if (baseUrl !== undefined && embeddings === undefined) {
    throw new UsageError("--base-url is the server of an embedding model: name that with --embeddings.");
  }
  const model =
    embeddings === undefined
      ? undefined
      : await (await import("../../../model/embeddings.js")).loadEmbeddings(embeddings, {
          env,
          ...(baseUrl === undefined ? {} : { baseUrl }),
        });
  const shown = isPostgresAddress(file) ? placeOf(file) : file;
  const { documents } = await import("../../../documents/documents.js");
  return { docs: documents({ folder, index: file, embeddings: model, maxResults }), index: shown };
}
