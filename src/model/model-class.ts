import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { z } from "zod";
import { InvalidOptionError, SetupError } from "../base/errors.js";
import { chatModelSchema } from "../langgraph/chat-models.js";
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
export function packageOf(provider: string): string {
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

export interface OpenAIModelOptions {
  /** The API key. If left out, LangChain reads OPENAI_API_KEY from the environment of the process. */
  readonly apiKey?: string;
  /** The address of an OpenAI-compatible server, usually ending in `/v1`. Default: the address of OpenAI. */
  readonly baseUrl?: string;
  readonly maxRetries: number;
  readonly temperature?: number | undefined;
  readonly maxReplyTokens?: number | undefined;
  readonly streaming?: boolean | undefined;
}

/**
 * Makes a chat model for OpenAI's chat completions API. Its errors have the server's words.
 *
 * @throws {SetupError} "missing-api-key" when there is neither a key nor a base URL.
 */
export async function openaiModel(name: string, options: OpenAIModelOptions): Promise<BaseChatModel> {
  const { temperature, maxReplyTokens } = options;
  const { ChatOpenAI } = await import("@langchain/openai");
  const make = (apiKey: string | undefined) =>
    new ChatOpenAI({
      model: name,
      apiKey,
      maxRetries: options.maxRetries,
      ...(temperature !== undefined && { temperature }),
      ...(maxReplyTokens !== undefined && { maxTokens: maxReplyTokens }),
      ...(options.streaming === false && { disableStreaming: true }),
      configuration: readableSettings({ baseURL: options.baseUrl }),
    });
  const model = make(options.apiKey);
  if (model.apiKey !== undefined) return model;
  if (options.baseUrl === undefined) throw new SetupError("missing-api-key", "OPENAI_API_KEY", "openai");
  return make("none");
}
