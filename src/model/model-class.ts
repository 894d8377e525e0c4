import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { z } from "zod";
import { InvalidOptionError, SetupError } from "../base/errors.js";
import { chatModelSchema } from "../langgraph/chat-models.js";
import { explicitClient } from "./explicit-client.js";
import { readableSettings } from "./readable-fetch.js";

/** The class of a provider's chat model, with its API key. */
export interface ModelClass {
  readonly className: string;
  /** The environment variable with the key. If left out, the model needs no key. */
  readonly keyVariable?: string;
}

type Constructor = new (fields: Record<string, unknown>) => unknown;

const constructorSchema = z.custom<Constructor>((value) => typeof value === "function");

/** Names the LangChain package of a provider. Glassloop does not depend on it: a user of the provider installs it. */
function packageOf(provider: string): string {
  return `@langchain/${provider}`;
}

/**
 * Imports the class of a provider's chat model.
 *
 * @throws {SetupError} "missing-package" when its package is not installed, or cannot be imported.
 */
export async function importModelClass(provider: string, { className }: ModelClass): Promise<Constructor> {
  const packageName = packageOf(provider);
  const module = await importPackage(provider, packageName);
  const found = z.object({ [className]: constructorSchema }).safeParse(module).data?.[className];
  if (found !== undefined) return found;
  throw new InvalidOptionError("model", `${packageName} has no ${className}; update it: npm install ${packageName}`);
}

async function importPackage(provider: string, packageName: string): Promise<unknown> {
  try {
    // Bundlers let it be: the package is loaded from where the program runs.
    return await import(/* webpackIgnore: true */ /* @vite-ignore */ packageName);
  } catch (cause) {
    throw new SetupError("missing-package", packageName, `Models of ${provider}`, { cause });
  }
}

/**
 * Makes a model of a provider's class. The package looks for a key at this moment, and has its own error for a missing
 * key.
 *
 * @throws {SetupError} "missing-api-key" when the package finds no key.
 */
export function makeModel(
  provider: string,
  { keyVariable }: ModelClass,
  Model: Constructor,
  fields: Record<string, unknown>,
): BaseChatModel {
  try {
    return chatModelSchema.parse(new Model(fields));
  } catch (cause) {
    const aboutKey = keyVariable !== undefined && /api.?key|credential/i.test(String(cause));
    throw aboutKey ? new SetupError("missing-api-key", keyVariable, provider, { cause }) : cause;
  }
}

export interface LoadModelOptions {
  /**
   * The address of a server with the API of the provider. With an address, a name without a provider is a model of an
   * OpenAI-compatible server: Ollama, vLLM, llama.cpp, LM Studio. Such a server gets the key `none` if there is no key.
   */
  readonly baseUrl?: string | undefined;
  /** The key of the provider. Default: the value of the provider's variable in `env`, such as OPENAI_API_KEY. */
  readonly apiKey?: string | undefined;
  /** The number of new tries after a passing failure. Default: 2. An agent makes these tries itself. */
  readonly maxRetries?: number;
  /** The temperature of the model. Default: that of its server. */
  readonly temperature?: number | undefined;
  /** The most tokens of a reply. Default: that of the server. */
  readonly maxReplyTokens?: number | undefined;
  /** False asks for each reply in one piece, for a server that cannot stream. Default: true. */
  readonly streaming?: boolean | undefined;
  /**
   * The environment for keys, such as `process.env`. For models of OpenAI it is also that for OPENAI_BASE_URL, and for the
   * organization, the project and the headers of OpenAI's client. If left out, the LangChain package of the provider reads the
   * environment of the process itself. An OpenAI-compatible server with a `baseUrl` then gets nothing of it.
   */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/**
 * Makes a chat model for OpenAI's chat completions API. Its errors have the server's words.
 *
 * @throws {SetupError} "missing-api-key" when there is no key.
 */
export async function openaiModel(name: string, options: LoadModelOptions): Promise<BaseChatModel> {
  const { temperature, maxReplyTokens, apiKey, baseUrl, env } = options;
  const [{ ChatOpenAI }, { ReasoningCompletions }] = await Promise.all([
    import("@langchain/openai"),
    import("./reasoning-completions.js"),
  ]);
  const explicit = env && apiKey !== undefined ? explicitClient(apiKey, env) : {};
  const fields = {
    model: name,
    apiKey,
    maxRetries: options.maxRetries,
    ...(temperature !== undefined && { temperature }),
    ...(maxReplyTokens !== undefined && { maxTokens: maxReplyTokens }),
    ...(options.streaming === false && { disableStreaming: true }),
    configuration: readableSettings({ baseURL: baseUrl, ...explicit }),
  };
  const model = new ChatOpenAI({ ...fields, completions: new ReasoningCompletions(fields) });
  if (model.apiKey === undefined) throw new SetupError("missing-api-key", "OPENAI_API_KEY", "openai");
  return model;
}
