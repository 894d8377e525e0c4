import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { z } from "zod";
import { attempted } from "../base/attempted.js";
import { InvalidOptionError, SetupError } from "../base/errors.js";
import { isRecord } from "../base/is-record.js";
import { checkedOption, give } from "../base/options.js";
import { keepSecret, keepSecretsOfAddress } from "../base/secrets/known-secrets.js";
import { type FilesTaken, fileKinds } from "../content/file-block.js";
import type { ModelAbilities } from "../core/parts/models.js";
import type { Refusal } from "../core/state/prompt-record.js";
import { kindOfModel, perModel } from "../langgraph/chat-models.js";
import { explicitClient } from "./explicit-client.js";
import { inOnePiece } from "./in-one-piece.js";
import { importModelClass, type LoadModelOptions, type ModelClass, makeModel, openaiModel } from "./model-class.js";
import { formsOfPackages, formsOfServers, openaiForm, takersOfBlocks } from "./tables/forms.js";

interface Provider extends ModelClass {
  /** The name of the class's field for the address of a server. It may be in an object, such as `configuration.baseURL`. */
  readonly baseUrlField: string;
  /** The name of the class's field for the most tokens of a reply; `maxTokens` by default. */
  readonly replyTokensField?: string;
}

/** The providers with a LangChain package of their name. Add an entry to add a provider. `openai` and `offline` are made below. */
const providers: Readonly<Record<string, Provider>> = {
  anthropic: { className: "ChatAnthropic", keyVariable: "ANTHROPIC_API_KEY", baseUrlField: "anthropicApiUrl" },
  cohere: { className: "ChatCohere", keyVariable: "COHERE_API_KEY", baseUrlField: "baseUrl" },
  deepseek: { className: "ChatDeepSeek", keyVariable: "DEEPSEEK_API_KEY", baseUrlField: "configuration.baseURL" },
  "google-genai": {
    className: "ChatGoogleGenerativeAI",
    keyVariable: "GOOGLE_API_KEY",
    baseUrlField: "baseUrl",
    replyTokensField: "maxOutputTokens",
  },
  groq: { className: "ChatGroq", keyVariable: "GROQ_API_KEY", baseUrlField: "baseUrl" },
  mistralai: { className: "ChatMistralAI", keyVariable: "MISTRAL_API_KEY", baseUrlField: "serverURL" },
  ollama: { className: "ChatOllama", baseUrlField: "baseUrl", replyTokensField: "numPredict" },
  xai: { className: "ChatXAI", keyVariable: "XAI_API_KEY", baseUrlField: "baseURL" },
};

export const providerNames = ["openai", ...Object.keys(providers)];

/**
 * Loads a chat model by name. It imports the package of the provider only now, and sends nothing.
 * A model of an OpenAI-compatible server gets back the reasoning that its replies had.
 *
 * @param name `"openai:gpt-4o-mini"`, or another `"provider:name"` with an installed LangChain package. `"offline"` is
 *   the small rule-based model: it needs no key and is not a language model.
 * @param options Key, server, retries.
 * @returns A LangChain chat model.
 * @throws {InvalidOptionError} when the name has a wrong form or an unknown provider. It lists the providers.
 * @throws {SetupError} "missing-package" when the package of the provider is not installed. It says how to install
 *   it.
 * @throws {SetupError} "missing-api-key" when the provider needs a key and there is none. It names the variable to
 *   set.
 *
 * @example
 * ```ts
 * const hosted = await loadModel("openai:gpt-4o-mini", { env: process.env });
 * const local = await loadModel("llama3.2:3b", { baseUrl: "http://127.0.0.1:11434/v1" });
 * ```
 */
export async function loadModel(name: string, options: LoadModelOptions = {}): Promise<BaseChatModel> {
  checkedOption("model", modelName, name);
  const { maxRetries = 2 } = options;
  if (name === "offline") return new (await import("./offline/offline-model.js")).OfflineModel({});
  const baseUrl = checkedUrl(options.baseUrl || undefined);
  const { provider, model } = readName(name, baseUrl !== undefined);
  if (provider === "openai") {
    return openaiModel(model, { ...options, ...openaiServer(options), maxRetries });
  }
  return installedModel(provider, model, { ...options, baseUrl, maxRetries });
}

/**
 * Finds the server of a model with OpenAI's API, and its key. A server that the caller names gets nothing of the process.
 *
 * @returns No key if the package of OpenAI is to look for it.
 * @throws {SetupError} "missing-api-key" when the environment that was given has none.
 */
export function openaiServer(options: LoadModelOptions): Pick<LoadModelOptions, "baseUrl" | "apiKey" | "env"> {
  const named = checkedUrl(options.baseUrl || undefined);
  const env = options.env ?? (named === undefined ? undefined : {});
  const baseUrl = named ?? checkedUrl(env?.OPENAI_BASE_URL || undefined, "OPENAI_BASE_URL");
  const apiKey = keyFor("OPENAI_API_KEY", { ...options, env }) ?? (baseUrl === undefined ? undefined : "none");
  if (env !== undefined && apiKey === undefined) throw new SetupError("missing-api-key", "OPENAI_API_KEY", "openai");
  return { baseUrl, apiKey, env };
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
  return `"${name}" has no provider. Write "openai:${name}" for a model of OpenAI, or give the base URL of your server. ${possible}`;
}

/** Checks the address of a server. @throws {InvalidOptionError} if it is none, or has a password in it. */
function checkedUrl(text: string | undefined, option = "baseUrl"): string | undefined {
  if (text === undefined) return text;
  const url = text.trim();
  if (!URL.canParse(url) || !/^https?:/i.test(url)) {
    const problem = `"${text}" is not a web address. Write it in full, such as "http://127.0.0.1:11434/v1".`;
    throw new InvalidOptionError(option, problem);
  }
  const { username, password } = new URL(url);
  keepSecretsOfAddress(url);
  if (username === "" && password === "") return url;
  throw new InvalidOptionError(option, "a web address with a user or a password in it cannot be used. Leave them out.");
}

async function installedModel(name: string, model: string, options: LoadModelOptions): Promise<BaseChatModel> {
  const provider = providers[name];
  if (provider === undefined) throw new InvalidOptionError("model", nameProblem(`${name}:${model}`, name));
  const { keyVariable, baseUrlField, replyTokensField = "maxTokens" } = provider;
  const Model = await importModelClass(name, provider);
  const apiKey = keyVariable === undefined ? undefined : keyFor(keyVariable, options);
  if (keyVariable !== undefined && options.env !== undefined && apiKey === undefined) {
    throw new SetupError("missing-api-key", keyVariable, name);
  }
  const made = makeModel(name, provider, Model, {
    model,
    maxRetries: options.maxRetries,
    ...(apiKey === undefined ? {} : { apiKey }),
    // Anthropic's client would send a token of the process, too.
    ...(name === "anthropic" && apiKey !== undefined && { clientOptions: { authToken: options.env?.[token] ?? null } }),
    ...(options.baseUrl === undefined ? {} : fieldAt(baseUrlField, options.baseUrl)),
    ...(options.temperature === undefined ? {} : { temperature: options.temperature }),
    ...(options.maxReplyTokens === undefined ? {} : { [replyTokensField]: options.maxReplyTokens }),
  });
  // The packages of some providers are made of OpenAI's, and would send what is OpenAI's.
  const client: unknown = Reflect.get(made, "clientConfig");
  if (isRecord(client)) Object.assign(client, explicitClient(String(client.apiKey), {}));
  return options.streaming === false ? inOnePiece(made) : made;
}

const token = "ANTHROPIC_AUTH_TOKEN";

/** Returns an object with a value at a path, such as `configuration.baseURL`. */
function fieldAt(path: string, value: string): Record<string, unknown> {
  const [name = "", ...rest] = path.split(".");
  return { [name]: rest.length === 0 ? value : fieldAt(rest.join("."), value) };
}

/** Returns the key of a provider; undefined if there is none. @throws {InvalidOptionError} if no key can be like this. */
function keyFor(variable: string, { apiKey, env }: LoadModelOptions): string | undefined {
  const key = (apiKey || env?.[variable] || "").trim();
  if (unsendable.test(key)) {
    const problem = "this key has a character that a key cannot have, such as … or a line break. Copy it again.";
    throw new InvalidOptionError(apiKey ? "apiKey" : variable, problem);
  }
  keepSecret(key);
  return key || undefined;
}

/** The characters that a request header cannot hold. */
const unsendable = /[^\x20-\x7e\xa0-\xff]/;

/**
 * The models without `stop`. Reasoning models refuse this parameter, and LangChain drops it for models that it asks over the
 * Responses API.
 */
const modelsWithoutStop = /^(?:o\d|gpt-5(?!-chat)|.*codex|grok-(?:3-mini|4|code))/;
const modelsWithoutTools = /^(?:o1-(?:mini|preview)|gpt-3\.5-turbo-instruct)/;

const facetsSchema = z.object({
  model: z.string().optional().catch(undefined),
  modelName: z.string().optional().catch(undefined),
  useResponsesApi: z.boolean().optional().catch(undefined),
  bindTools: z.unknown().optional(),
  constructor: z
    .custom<{ readonly name: string }>((value) => typeof value === "function")
    .optional()
    .catch(undefined),
  thinking: z.object({ type: z.string() }).optional().catch(undefined),
  disableStreaming: z.boolean().optional().catch(undefined),
  clientConfig: z.object({ baseURL: z.string() }).optional().catch(undefined),
  profile: z
    .object({
      imageInputs: z.boolean().optional(),
      audioInputs: z.boolean().optional(),
      videoInputs: z.boolean().optional(),
      pdfInputs: z.boolean().optional(),
      reasoningOutput: z.boolean().default(false),
      structuredOutput: z.boolean().default(false),
    })
    .optional()
    .catch(undefined),
});

/**
 * Returns the abilities of a chat model, as its class and its name tell them. No other place decides this. An unknown
 * model counts as one with `stop`, since a reply is cut locally in any case.
 *
 * @param model A chat model, with or without bound settings (`model.withConfig(…)`).
 */
export function modelAbilities(model: unknown): ModelAbilities {
  const facets = facetsOf(model);
  const name = (facets?.model ?? facets?.modelName ?? "").replace(/^(?:.*\/|ft:)/, "");
  const { files = facets?.useResponsesApi ? (["image", "file"] as const) : fileKinds, fileForm = "older" } =
    filesOfPackages[facets?.constructor?.name ?? ""] ?? {};
  return {
    stop: !modelsWithoutStop.test(name) && facets?.useResponsesApi !== true,
    nativeTools: typeof facets?.bindTools === "function" && !modelsWithoutTools.test(name),
    files: files.filter((kind) => facets?.profile?.[inputs[kind]] !== false),
    fileForm,
    refuses: facets ? refusalsOf(facets) : [],
    form: formsOfPackages[facets?.constructor?.name ?? ""] ?? formsOfServers[hostOf(facets)] ?? openaiForm,
    responseFormat:
      facets?.constructor?.name === "ChatOpenAI" &&
      facets.profile?.structuredOutput === true &&
      !facets.disableStreaming,
  };
}

/** What packages of providers take of files, if it is not all in the older form. They lose all else in silence, or throw. */
const filesOfPackages: Readonly<Record<string, Partial<FilesTaken>>> = {
  ChatAnthropic: { files: ["image", "file"], fileForm: "anthropic" },
  ChatGoogleGenerativeAI: { fileForm: "standard" },
  ChatGroq: { files: ["image"] },
  ChatMistralAI: { files: ["image"] },
  ChatOllama: { files: ["image"], fileForm: "data" },
  ChatXAIResponses: { files: ["image"] },
};

/** The names of the kinds of files in the profiles of LangChain. */
const inputs = { image: "imageInputs", audio: "audioInputs", video: "videoInputs", file: "pdfInputs" } as const;

/** Returns what a model does not take, as its package and its provider were tried. */
function refusalsOf(facets: z.output<typeof facetsSchema>): Refusal[] {
  const { thinking, profile } = facets;
  const name = facets.constructor?.name;
  const thinks = thinking === undefined ? profile?.reasoningOutput === true : thinking.type !== "disabled";
  return [
    ...(thinks ? (["unsigned-calls"] as const) : []),
    ...(name === "ChatMistralAI" ? (["reply-blocks", "question-after-result"] as const) : []),
    ...(takersOfBlocks.has(name ?? "") ? [] : (["result-blocks"] as const)),
  ];
}

/** Returns the host of a server that was named by its address. It is empty for all others. */
function hostOf(facets: z.output<typeof facetsSchema> | undefined): string {
  return attempted(() => new URL(facets?.clientConfig?.baseURL ?? "").host) ?? "";
}

const facetsOf = perModel((model) => facetsSchema.safeParse(model).data);

/** The names of OpenTelemetry for providers that LangChain's models name in another way. */
const conventionalNames: Readonly<Record<string, string>> = {
  googlegenerativeai: "gcp.gemini",
  xai: "x_ai",
};

/** Returns the provider of a chat model in the words of OpenTelemetry, such as `openai`. */
export function providerOfModel(model: BaseChatModel): string {
  const kind = kindOfModel(model).toLowerCase();
  return conventionalNames[kind] ?? kind;
}

/** Returns the name of a chat model, such as `gpt-4o-mini`. A model without a name has that of its kind. */
export function nameOfModel(model: BaseChatModel): string {
  const { model: name, modelName = name } = facetsOf(model) ?? {};
  return name || modelName || kindOfModel(model);
}
