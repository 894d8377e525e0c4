import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { InvalidOptionError, SetupError } from "../base/errors.js";
import type { LoadModelOptions } from "./model-class.js";
import { checkedUrl, keyFor } from "./models.js";

/**
 * Loads an embedding model by name. It imports the package of the provider only now, and sends nothing. Embedding models of
 * other packages are made with their classes.
 *
 * @param name `"openai:text-embedding-3-small"`, or `"openai:NAME"` for a model of an OpenAI-compatible server.
 * @param options `baseUrl`: the address of such a server, which needs no key. `apiKey`, `env`, `maxRetries`: as for
 *   `loadModel`.
 * @returns An embedding model of LangChain.
 * @throws {InvalidOptionError} when the name has another form. {@link SetupError} "missing-api-key" when there is no
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
  const { env, maxRetries = 2 } = options;
  const baseURL =
    checkedUrl(options.baseUrl || undefined) ?? checkedUrl(env?.OPENAI_BASE_URL || undefined, "OPENAI_BASE_URL");
  const apiKey = keyFor("OPENAI_API_KEY", options) ?? (baseURL === undefined ? undefined : "none");
  if (env !== undefined && apiKey === undefined) throw new SetupError("missing-api-key", "OPENAI_API_KEY", "openai");
  const { OpenAIEmbeddings } = await import("@langchain/openai");
  return new OpenAIEmbeddings({
    model,
    apiKey,
    maxRetries,
    stripNewLines: false,
    // Not all servers know the form that the client would ask for.
    encodingFormat: "float",
    configuration: { baseURL },
  });
}
