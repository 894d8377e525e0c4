import { keyVariables } from "../../model/models.js";
import type { Io } from "../io.js";
import { defaultOpenAIModel } from "../program/addresses.js";
import { type SettingTexts, settings, variableOf } from "../program/settings.js";
import type { ChosenSettings, Layer } from "./chosen-settings.js";
import { withoutCredentials } from "./kept-settings.js";

/** The models of a session, their server, and the keys that may go there. */
export interface ModelServer {
  /** The model, or several with commas. */
  readonly model: string;
  readonly baseUrl: string | undefined;
  /** The environment, without the keys that may not go to the server. */
  readonly env: Io["env"];
  /** Why a key stays here; undefined if none does. */
  readonly withheld: Withheld | undefined;
  /** The model and its server as a thread keeps them, if the defaults chose them. */
  readonly own: SettingTexts;
}

export interface Withheld {
  readonly address: string;
  /** The place that names the address. */
  readonly from: string;
}

/**
 * Finds the models of a session and their server. A key goes only to the address that it was configured for. So no key of
 * the environment goes to an address that only a thread names, or only the `.env` of a folder.
 *
 * @param kept The settings of the thread.
 */
export function modelServer(chosen: ChosenSettings, kept: Layer, { env, fileVariables }: Io): ModelServer {
  const named = chosen.text(settings.model);
  const model = named ?? (env.OPENAI_API_KEY ? defaultOpenAIModel : "offline");
  const address = chosen.text(settings.baseUrl);
  const isOfFile = (variable: string) => fileVariables?.has(variable) === true;
  const isOnlyOfFile = (variable: string) => isOfFile(variable) && !isOfFile("OPENAI_API_KEY");
  const servesAll = model.split(",").every((name) => name.trim().startsWith("openai:"));
  const ofEnvironment = servesAll ? env.OPENAI_BASE_URL || undefined : undefined;
  const own = {
    ...(model !== "offline" && { [settings.model.name]: model }),
    ...(ofEnvironment !== undefined && { [settings.baseUrl.name]: ofEnvironment }),
  };
  if (address === undefined) {
    const isHeld = ofEnvironment !== undefined && isOnlyOfFile("OPENAI_BASE_URL");
    return { model, baseUrl: undefined, own, ...(isHeld ? withoutKeys(env, ofEnvironment, ".env") : allKeys(env)) };
  }
  if (chosen.place(settings.baseUrl) !== kept) return { model, baseUrl: address, own, ...allKeys(env) };
  const isConfigured = [variableOf(settings.baseUrl.name), "OPENAI_BASE_URL"].some(
    (variable) => !isOnlyOfFile(variable) && withoutCredentials(env[variable] ?? "") === address,
  );
  const keys = isConfigured ? allKeys(env) : withoutKeys(env, address, "the thread");
  return { model, baseUrl: address, own, ...keys };
}

function allKeys(env: Io["env"]) {
  return { env, withheld: undefined };
}

function withoutKeys(env: Io["env"], address: string, from: string) {
  const rest = Object.fromEntries(Object.entries(env).filter(([name]) => !keyVariables.includes(name)));
  return { env: rest, withheld: keyVariables.some((name) => env[name]) ? { address, from } : undefined };
}
