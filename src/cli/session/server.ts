import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { hasCode } from "../../base/errors.js";
import type { Io } from "../io.js";
import { defaultOpenAIModel } from "../program/addresses.js";
import type { ChosenSettings } from "../program/chosen-settings.js";
import { offeredModels, type Setting, settings, typedWords, variableOf } from "../program/settings.js";
import { shellWords } from "../screen/screen-text.js";
import { tell, unbroken } from "../screen/wrapped.js";

/** The server of a model, and the keys that may go there. */
interface Server {
  readonly baseUrl: string | undefined;
  /** The environment, without the keys that may not go to the server. */
  readonly env: Io["env"];
  /** Why a key stays here; undefined if none does. */
  readonly withheld: Withheld | undefined;
}

/** A key that stays here, as only a file of the folder names the address. */
interface Withheld {
  readonly setting: Setting;
  readonly address: string;
  readonly file: string;
}

/**
 * Finds the server of a model. A key goes only to the address that it was configured for. So if only a file of the folder names
 * the address, it gets no variable but those of such files. An address of OpenAI's variable gets the keys of other providers,
 * whose models are asked elsewhere.
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
  const address = baseUrl ?? ofEnvironment;
  const file = fileVariables?.get(baseUrl === undefined ? "OPENAI_BASE_URL" : variableOf(setting.name));
  if (address === undefined || file === undefined || chosen.isTyped(setting))
    return { baseUrl, env, withheld: undefined };
  const stays = (name: string) =>
    (baseUrl === undefined ? name.startsWith("OPENAI_") : /_API_KEY$|^OPENAI_/.test(name)) && !fileVariables?.has(name);
  const sent = Object.fromEntries(Object.entries(env).filter(([name]) => !stays(name)));
  const keepsKey = Object.keys(env).some((name) => stays(name) && env[name]);
  return { baseUrl, env: sent, withheld: keepsKey ? { setting, address, file } : undefined };
}

/** The models of a session, and their server. */
export interface ModelServer extends Server {
  /** The model, or several with commas, or several in lines of which clients choose one. */
  readonly model: string;
}

/** Finds the models of a session and their server. */
export function modelServer(chosen: ChosenSettings, io: Io): ModelServer {
  const { OPENAI_API_KEY: key, OPENAI_BASE_URL: variable } = io.env;
  const model = chosen.text(settings.model) ?? (key ? defaultOpenAIModel : "offline");
  const isOfOpenAI = offeredModels(model).some((names) => names.some((name) => name.startsWith("openai:")));
  return { ...serverOf(settings.baseUrl, chosen, (isOfOpenAI && variable) || undefined, io), model };
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
    if (!chosen.isTyped(settings.embeddingsUrl) || chosen.text(settings.embeddingsUrl) === undefined) return undefined;
    throw chosen.wrong(
      settings.embeddingsUrl,
      "This is the server of an embedding model: name that with --embeddings.",
    );
  }
  const server = serverOf(settings.embeddingsUrl, chosen, io.env.OPENAI_BASE_URL || undefined, io);
  return { ...server, load: () => load(name, server, chosen) };
}

/** Its package is imported only now. */
async function load(name: string, { baseUrl, env }: Server, chosen: ChosenSettings): Promise<EmbeddingsInterface> {
  const { loadEmbeddings } = await import("../../model/embeddings.js");
  try {
    return await loadEmbeddings(name, { env, baseUrl });
  } catch (error) {
    if (!hasCode(error, "missing-api-key")) throw chosen.explained(error, { baseUrl: settings.embeddingsUrl });
    const possible = "set OPENAI_API_KEY, or name a server that needs none with --embeddings-url.";
    throw chosen.wrong(settings.embeddings, `Models of openai need an API key: ${possible}`);
  }
}

/** Tells which keys stay here, and how to send them. */
export function tellWithheld(servers: readonly (Server | undefined)[], io: Pick<Io, "stderr" | "env">): void {
  for (const { setting, address, file } of servers.flatMap((server) => server?.withheld ?? [])) {
    const option = unbroken(shellWords(typedWords(setting, address)));
    tell(`Your key is not sent to ${address}, as only ${file} names it. Add ${option} to send it.`, io);
  }
}
