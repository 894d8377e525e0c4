import { keyVariables } from "../../model/models.js";
import type { Io } from "../io.js";
import { type Setting, type SettingTexts, variableOf } from "../program/settings.js";
import type { ChosenSettings } from "./chosen-settings.js";
import { withoutCredentials } from "./kept-settings.js";

/** The server of a model, and the keys that may go there. */
export interface Server {
  /** The setting of its address. */
  readonly setting: Setting;
  readonly baseUrl: string | undefined;
  /** The environment, without the keys that may not go to the server. */
  readonly env: Io["env"];
  /** Why a key stays here; undefined if none does. */
  readonly withheld: Withheld | undefined;
  /** What a thread keeps to find the server again, if the environment chose it. */
  readonly own: SettingTexts;
}

/** A key that stays here, as the address has not been configured for it. */
export interface Withheld {
  readonly setting: Setting;
  readonly address: string;
  /** The place that names the address. */
  readonly from: string;
}

/**
 * Finds the server of a model. A key goes only to the address that it was configured for. So no key of the environment
 * goes to an address that only a thread names, or only the `.env` of a folder.
 *
 * @param setting The setting of its address.
 * @param ofEnvironment The address in OPENAI_BASE_URL, if the model is asked there unless the setting says otherwise.
 */
export function serverOf(
  setting: Setting,
  chosen: ChosenSettings,
  ofEnvironment: string | undefined,
  { env, fileVariables }: Io,
): Server {
  const isOfFile = (variable: string) => fileVariables?.has(variable) === true;
  const isOnlyOfFile = (variable: string) => isOfFile(variable) && !isOfFile("OPENAI_API_KEY");
  const address = chosen.text(setting);
  const own = ofEnvironment === undefined ? {} : { [setting.name]: ofEnvironment };
  const all = { setting, baseUrl: address, env, withheld: undefined, own };
  if (address === undefined) {
    const isHeld = ofEnvironment !== undefined && isOnlyOfFile("OPENAI_BASE_URL");
    return isHeld ? withoutKeys(all, ofEnvironment, ".env") : all;
  }
  if (chosen.place(setting)?.kind !== "kept") return all;
  const isConfigured = [variableOf(setting.name), "OPENAI_BASE_URL"].some(
    (variable) => !isOnlyOfFile(variable) && withoutCredentials(env[variable] ?? "") === address,
  );
  return isConfigured ? all : withoutKeys(all, address, "the thread");
}

function withoutKeys(server: Server, address: string, from: string): Server {
  const { setting, env } = server;
  const rest = Object.fromEntries(Object.entries(env).filter(([name]) => !keyVariables.includes(name)));
  const hasKey = keyVariables.some((name) => env[name]);
  return { ...server, env: rest, withheld: hasKey ? { setting, address, from } : undefined };
}
