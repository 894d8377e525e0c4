import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { hasCode, InvalidOptionError } from "../../base/errors.js";
import type { Io } from "../io.js";
import { defaultOpenAIModel } from "../program/addresses.js";
import { UsageError } from "../program/exit-codes.js";
import { type Setting, settings } from "../program/settings.js";
import type { ChosenSettings } from "./chosen-settings.js";

/** The server of a model, and the keys that may go there. */
interface Server {
  readonly baseUrl: string | undefined;
  /** The environment, without the keys that may not go to the server. */
  readonly env: Io["env"];
  /** Why a key stays here; undefined if none does. */
  readonly withheld: Withheld | undefined;
}

/** A key that stays here, as only the `.env` of the folder names the address. */
export interface Withheld {
  readonly setting: Setting;
  readonly address: string;
}

/**
 * Finds the server of a model. A key goes only to the address that it was configured for. So if only the `.env` of a folder
 * names the address, OpenAI's key, organization, project and headers are sent there only if they come from the same `.env`.
 *
 * @param setting The setting of its address.
 * @param ofEnvironment The address in OPENAI_BASE_URL, if a model is asked there unless the setting says otherwise.
 */
function serverOf(
  setting: Setting,
  chosen: ChosenSettings,
  ofEnvironment: string | undefined,
  { env, fileVariables }: Io,
): Server {
  const baseUrl = chosen.text(setting);
  if (baseUrl !== undefined || ofEnvironment === undefined || !fileVariables?.has("OPENAI_BASE_URL"))
    return { baseUrl, env, withheld: undefined };
  const stays = (name: string) => name.startsWith("OPENAI_") && !fileVariables.has(name);
  const sent = Object.fromEntries(Object.entries(env).filter(([name]) => !stays(name)));
  const keepsKey = Object.keys(env).some((name) => stays(name) && env[name]);
  return { baseUrl, env: sent, withheld: keepsKey ? { setting, address: ofEnvironment } : undefined };
}

/** The models of a session, and their server. */
export interface ModelServer extends Server {
  /** The model, or several with commas. */
  readonly model: string;
  /** The address of the server, wherever it is from; undefined for that of the provider. */
  readonly address: string | undefined;
}

/**
 * Finds the models of a session and their server.
 *
 * @throws UsageError if a thread's model had a server and none is configured now. Its prompts may not go to the provider
 *   instead.
 */
export function modelServer(chosen: ChosenSettings, io: Io): ModelServer {
  const { OPENAI_API_KEY: key, OPENAI_BASE_URL: variable } = io.env;
  const model = chosen.text(settings.model) ?? (key ? defaultOpenAIModel : "offline");
  const ofOpenAI = model.split(",").map((name) => name.trim().startsWith("openai:"));
  const ofEnvironment = (ofOpenAI.includes(true) && variable) || undefined;
  const server = serverOf(settings.baseUrl, chosen, ofEnvironment, io);
  const address = server.baseUrl ?? (ofOpenAI.includes(false) ? undefined : ofEnvironment);
  if (address === undefined && chosen.place(settings.model)?.hadServer) {
    throw new UsageError(
      `This thread was made with --base-url, the server of ${model}. No thread keeps that: give it again, or another --model.`,
    );
  }
  return { ...server, model, address };
}

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
    return await loadEmbeddings(name, { env, baseUrl });
  } catch (error) {
    if (hasCode(error, "missing-api-key")) {
      const possible = "set OPENAI_API_KEY, or name a server that needs none with --embeddings-url.";
      throw chosen.wrong(settings.embeddings, `Models of openai need an API key: ${possible}`);
    }
    const setting = error instanceof InvalidOptionError ? settingOfOption[error.option] : undefined;
    throw error instanceof InvalidOptionError && setting ? chosen.wrong(setting, error.reason) : error;
  }
}
