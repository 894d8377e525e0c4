import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { hasCode, InvalidOptionError } from "../../base/errors.js";
import type { Io } from "../io.js";
import { type Setting, settings } from "../program/settings.js";
import type { ChosenSettings } from "./chosen-settings.js";
import { type Server, serverOf } from "./server.js";

/** The embedding model of the documents, and its server. */
export interface EmbeddingServer extends Server {
  /** Loads the model. @throws UsageError that names the place of a setting that is wrong. */
  load(): Promise<EmbeddingsInterface>;
}

/**
 * Finds the embedding model of the documents; undefined if they are searched by words alone.
 *
 * @throws UsageError if somebody typed the address of a server, and there is no model.
 */
export function embeddingServer(chosen: ChosenSettings, io: Io): EmbeddingServer | undefined {
  const name = chosen.text(settings.embeddings);
  if (name === undefined) {
    const isTyped = chosen.place(settings.embeddingsUrl)?.kind === "typed";
    if (!isTyped || chosen.text(settings.embeddingsUrl) === undefined) return undefined;
    throw chosen.wrong(
      settings.embeddingsUrl,
      "This is the server of an embedding model: name that with --embeddings.",
    );
  }
  const server = serverOf(settings.embeddingsUrl, chosen, io.env.OPENAI_BASE_URL || undefined, io);
  return { ...server, load: () => load(name, server, chosen) };
}

/** The settings that errors of a model name. */
const settingOfOption: Readonly<Record<string, Setting>> = {
  embeddings: settings.embeddings,
  baseUrl: settings.embeddingsUrl,
};

/** Its package is imported only now. */
async function load(name: string, { baseUrl, env }: Server, chosen: ChosenSettings): Promise<EmbeddingsInterface> {
  const { loadEmbeddings } = await import("../../model/embeddings.js");
  try {
    return await loadEmbeddings(name, { env, ...(baseUrl === undefined ? {} : { baseUrl }) });
  } catch (error) {
    if (hasCode(error, "missing-api-key")) {
      const possible = "set OPENAI_API_KEY, or name a server that needs none with --embeddings-url.";
      throw chosen.wrong(settings.embeddings, `Models of openai need an API key: ${possible}`);
    }
    const setting = error instanceof InvalidOptionError ? settingOfOption[error.option] : undefined;
    throw error instanceof InvalidOptionError && setting ? chosen.wrong(setting, error.reason) : error;
  }
}
