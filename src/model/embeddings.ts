import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { InvalidOptionError } from "../base/errors.js";
import { explicitClient } from "./explicit-client.js";
import type { LoadModelOptions } from "./model-class.js";
import { openaiServer } from "./models.js";

/**
 * Loads an embedding model by name. It imports the package of the provider only now, and sends nothing. Embedding models of
 * other packages are made with their classes.
 *
 * @param name `"openai:text-embedding-3-small"`, or `"openai:NAME"` for a model of an OpenAI-compatible server.
 * @param options `baseUrl`: the address of such a server, which needs no key. `apiKey`, `env`, `maxRetries`: as for
 *   `loadModel`.
 * @returns An embedding model of LangChain.
 * @throws {InvalidOptionError} when the name has another form. `SetupError` "missing-api-key" when there is no
 *   key.
 * @example
 * const embeddings = await loadEmbeddings("openai:nomic-embed-text", { baseUrl: "http://127.0.0.1:11434/v1" });
 */
export async function loadEmbeddings(name: string, options: LoadModelOptions = {}): Promise<EmbeddingsInterface> {
  const model = /^openai:(.*\S.*)$/.exec(name)?.[1]?.trim();
  if (model === undefined) {
    const possible = 'Write "openai:NAME", such as "openai:text-embedding-3-small".';
    throw new InvalidOptionError("embeddings", `"${name}" cannot be loaded. ${possible}`);
  }
  const { maxRetries = 2 } = options;
  const { baseUrl: baseURL, apiKey, env } = openaiServer(options);
  const { OpenAIEmbeddings } = await import("@langchain/openai");
  return new OpenAIEmbeddings({
    model,
    apiKey,
    maxRetries,
    stripNewLines: false,
    // Not all servers know the form that the client would ask for.
    encodingFormat: "float",
    configuration: { baseURL, ...(env && apiKey !== undefined && explicitClient(apiKey, env)) },
  });
}
