import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { z } from "zod";
import { InvalidOptionError, MissingApiKeyError } from "../base/errors.js";
import { checkedOption, countOption, give } from "../base/options.js";
import { importModelClass, type ModelClass, makeModel } from "./model-class.js";
import { openaiModel } from "./openai-model.js";

interface Provider extends ModelClass {
  /** The class's own name for the address of a server. */
  readonly baseUrlField: string;
}

/** To add a provider, add its entry. `openai` and `offline` are made below. */
const providers: Readonly<Record<string, Provider>> = {
  anthropic: {
    packageName: "@langchain/anthropic",
    className: "ChatAnthropic",
    keyVariable: "ANTHROPIC_API_KEY",
    baseUrlField: "anthropicApiUrl",
  },
  cohere: {
    packageName: "@langchain/cohere",
    className: "ChatCohere",
    keyVariable: "COHERE_API_KEY",
    baseUrlField: "baseUrl",
  },
  deepseek: {
    packageName: "@langchain/deepseek",
    className: "ChatDeepSeek",
    keyVariable: "DEEPSEEK_API_KEY",
    baseUrlField: "baseURL",
  },
  "google-genai": {
    packageName: "@langchain/google-genai",
    className: "ChatGoogleGenerativeAI",
    keyVariable: "GOOGLE_API_KEY",
    baseUrlField: "baseUrl",
  },
  groq: {
    packageName: "@langchain/groq",
    className: "ChatGroq",
    keyVariable: "GROQ_API_KEY",
    baseUrlField: "baseUrl",
  },
  mistralai: {
    packageName: "@langchain/mistralai",
    className: "ChatMistralAI",
    keyVariable: "MISTRAL_API_KEY",
    baseUrlField: "serverURL",
  },
  ollama: { packageName: "@langchain/ollama", className: "ChatOllama", baseUrlField: "baseUrl" },
  xai: { packageName: "@langchain/xai", className: "ChatXAI", keyVariable: "XAI_API_KEY", baseUrlField: "baseURL" },
};

export const providerNames = ["openai", ...Object.keys(providers)];

export interface LoadModelOptions {
  /**
   * The address of a server that speaks the provider's API. With one, a name without a provider is a model of an
   * OpenAI-compatible server: Ollama, vLLM, llama.cpp, LM Studio. Such a server gets the key `none` when there is no key.
   */
  readonly baseUrl?: string;
  /** The provider's key. Unless given, it is looked up in `env` under the provider's variable, such as OPENAI_API_KEY. */
  readonly apiKey?: string;
  /** Milliseconds to wait for the first byte of a reply, and between two pieces of it. OpenAI-compatible models only. Default: 60000. */
  readonly timeoutMs?: number;
  /** How often a call that failed for a passing reason (429, 5xx, time-out, lost connection) is tried again. Default: 2. */
  readonly maxRetries?: number;
  /**
   * Where keys and OPENAI_BASE_URL are looked up: `process.env` in a program's entry place. Left out: the provider's
   * LangChain package reads the environment of the process by itself.
   */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Loads a chat model by name. The provider's package is imported only now; nothing is sent.
 *
 * @param name `"openai:gpt-4o-mini"`, another `"provider:name"` whose LangChain package is installed, or `"offline"`: the
 *   small rule-based model that needs no key and is no language model.
 * @param options Key, server, time-out in milliseconds, retries.
 * @returns A LangChain chat model.
 * @throws {InvalidOptionError} when the name is none, or its provider is unknown: says which there are.
 * @throws {MissingPackageError} when the provider's package is not installed: says how to install it.
 * @throws {MissingApiKeyError} when the provider wants a key and there is none: says which variable to set.
 *
 * @example
 * ```ts
 * const hosted = await loadModel("openai:gpt-4o-mini", { env: process.env });
 * const local = await loadModel("llama3.2:3b", { baseUrl: "http://127.0.0.1:11434/v1" });
 * ```
 */
export async function loadModel(name: string, options: LoadModelOptions = {}): Promise<BaseChatModel> {
  checkedOption("model", modelName, name);
  const { timeoutMs = 60_000, maxRetries = 2, env } = options;
  checkedOption("timeoutMs", countOption, timeoutMs);
  if (name === "offline") return (await import("./offline/offline-model.js")).offlineModel();
  const baseUrl = checkedUrl(options.baseUrl || undefined);
  const { provider, model } = readName(name, baseUrl !== undefined);
  if (provider === "openai") {
    const server = baseUrl ?? checkedUrl(env?.OPENAI_BASE_URL || undefined, "OPENAI_BASE_URL");
    const apiKey = keyFor("OPENAI_API_KEY", options) ?? (env && server !== undefined ? "none" : undefined);
    if (env !== undefined && apiKey === undefined) throw new MissingApiKeyError("openai", "OPENAI_API_KEY");
    return openaiModel(model, { apiKey, baseUrl: server, timeoutMs, maxRetries });
  }
  return installedModel(provider, model, { ...options, baseUrl, maxRetries });
}

const modelName = z.string(give('a text, such as "openai:gpt-4o-mini" or "offline"'));

interface ModelName {
  readonly provider: string;
  readonly model: string;
}

function readName(name: string, hasServer: boolean): ModelName {
  const colon = name.indexOf(":");
  const provider = name.slice(0, Math.max(0, colon));
  const model = name.slice(colon + 1).trim();
  if (providerNames.includes(provider) && model !== "") return { provider, model };
  if (hasServer && name.trim() !== "" && !providerNames.includes(provider)) return { provider: "openai", model: name };
  throw new InvalidOptionError("model", nameProblem(name, provider));
}

function nameProblem(name: string, provider: string): string {
  const possible = `Write a provider and a model, such as "openai:gpt-4o-mini", or "offline". Providers: ${providerNames.join(", ")}.`;
  if (providerNames.includes(provider)) return `"${name}" names no model of ${provider}. ${possible}`;
  if (providerNames.includes(name)) return `"${name}" is a provider; name one of its models. ${possible}`;
  if (provider !== "") return `"${provider}" is no provider that can be loaded. ${possible}`;
  if (name.trim() === "") return `a model's name is needed. ${possible}`;
  return `"${name}" has no provider. Write "openai:${name}" for a model of OpenAI. ${possible}`;
}

function checkedUrl(text: string | undefined, option = "baseUrl"): string | undefined {
  if (text === undefined) return text;
  const url = text.trim();
  if (!URL.canParse(url) || !/^https?:/i.test(url)) {
    const problem = `"${text}" is not a web address. Write it in full, such as "http://127.0.0.1:11434/v1".`;
    throw new InvalidOptionError(option, problem);
  }
  const { username, password } = new URL(url);
  if (username === "" && password === "") return url;
  throw new InvalidOptionError(option, "a web address with a user or a password in it cannot be used. Leave them out.");
}

async function installedModel(name: string, model: string, options: LoadModelOptions): Promise<BaseChatModel> {
  const provider = providers[name];
  if (provider === undefined) throw new InvalidOptionError("model", nameProblem(`${name}:${model}`, name));
  const { keyVariable, baseUrlField } = provider;
  const Model = await importModelClass(name, provider);
  const apiKey = keyVariable === undefined ? undefined : keyFor(keyVariable, options);
  if (keyVariable !== undefined && options.env !== undefined && apiKey === undefined) {
    throw new MissingApiKeyError(name, keyVariable);
  }
  return makeModel(name, provider, Model, {
    model,
    maxRetries: options.maxRetries,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(options.baseUrl === undefined ? {} : { [baseUrlField]: options.baseUrl }),
  });
}

function keyFor(variable: string, { apiKey, env }: LoadModelOptions): string | undefined {
  const key = (apiKey || env?.[variable] || "").trim();
  if (unsendable.test(key)) {
    const problem = "this key holds a character that none can have, such as … or a line break. Copy it again.";
    throw new InvalidOptionError(apiKey ? "apiKey" : variable, problem);
  }
  return key || undefined;
}

/** What cannot stand in the header of a request. */
const unsendable = /[^\x20-\x7e\xa0-\xff]/;

/** What a chat model can do that an agent has to know before it asks. */
export interface ModelAbilities {
  /** It takes stop sequences. Without them the reply is cut locally all the same. */
  readonly stop: boolean;
  /** It takes tools, and calls them natively. */
  readonly nativeTools: boolean;
}

/** Reasoning models, which refuse `stop`, and models that LangChain asks over the Responses API, which drops it. */
const modelsWithoutStop = /^(?:o\d|gpt-5(?!-chat)|.*codex|grok-(?:3-mini|4|code))/;
const modelsWithoutTools = /^(?:o1-(?:mini|preview)|gpt-3\.5-turbo-instruct)/;

const facetsSchema = z.object({
  model: z.string().optional().catch(undefined),
  modelName: z.string().optional().catch(undefined),
  useResponsesApi: z.boolean().optional().catch(undefined),
  bindTools: z.unknown().optional(),
});

/**
 * What a chat model can do, as far as its class and name tell: the one place that knows. `stop` is taken for granted in
 * models that are not known, since a reply is cut locally anyway.
 *
 * @param model A chat model, or one with settings bound to it (`model.withConfig(…)`), which is looked through.
 */
export function modelAbilities(model: unknown): ModelAbilities {
  const facets = facetsSchema.safeParse(unbound(model)).data;
  const name = (facets?.model ?? facets?.modelName ?? "").replace(/^(?:.*\/|ft:)/, "");
  return {
    stop: !modelsWithoutStop.test(name) && facets?.useResponsesApi !== true,
    nativeTools: typeof facets?.bindTools === "function" && !modelsWithoutTools.test(name),
  };
}

/** The model inside LangChain's `RunnableBinding`s. */
export function unbound(model: unknown): unknown {
  if (typeof model !== "object" || model === null || !("bound" in model)) return model;
  return unbound(model.bound);
}
