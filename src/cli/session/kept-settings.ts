import { resolve } from "node:path";
import type { ThreadSettings } from "../../threads/checkpoints/thread-settings.js";
import type { Io } from "../io.js";
import { UsageError } from "../program/exit-codes.js";
import { allSettings, type Setting, type SettingTexts, settings, typedWords } from "../program/settings.js";
import { screenName } from "../screen/screen-text.js";
import { shellWords } from "../screen/shell-words.js";
import type { ChosenSettings } from "./chosen-settings.js";
import { isMarked, marked, personsKey } from "./settings-mark.js";

/**
 * The settings that no thread keeps. The servers of `--mcp` are programs, which only a person starts. A thread cannot
 * say that nobody is asked.
 */
function isKept(name: string, text: string): boolean {
  return name !== settings.mcp.name && !(name === settings.approve.name && text === "never");
}

/**
 * Returns the settings that a thread keeps, with the mark of this person. Paths hold in every folder. Addresses have no
 * credentials.
 *
 * @param own The models and their servers that the defaults chose.
 * @param before What the thread keeps until now.
 */
export function settingsToKeep(
  chosen: ChosenSettings,
  own: SettingTexts,
  before: SettingTexts,
  env: Io["env"],
): SettingTexts {
  const texts = keptTexts((setting) => {
    const text = chosen.text(setting) ?? own[setting.name];
    return text === undefined ? undefined : keptText(setting.name, text);
  });
  const key = Object.keys(texts).length === 0 ? undefined : personsKey(env);
  if (key === undefined) return texts;
  const kept = keptTexts(({ name }) => before[name]);
  return marked(texts, key, kept, before);
}

function keptTexts(textOf: (setting: Setting) => string | undefined): SettingTexts {
  const texts = allSettings.flatMap((setting) => {
    const text = textOf(setting);
    return text !== undefined && isKept(setting.name, text) ? [[setting.name, text] as const] : [];
  });
  return Object.fromEntries(texts);
}

function keptText(name: string, text: string): string {
  if (name === settings.docs.name) return resolve(text);
  return name === settings.baseUrl.name || name === settings.embeddingsUrl.name ? withoutCredentials(text) : text;
}

const secretName = /key|token|secret|sig|auth|passw|credential|code/i;

/** Returns an address without a user, a password, and fields that look like keys. */
export function withoutCredentials(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  const secrets = [...url.searchParams.keys()].filter((name) => secretName.test(name));
  if (secrets.length === 0 && url.username === "" && url.password === "") return address.trim();
  for (const name of secrets) url.searchParams.delete(name);
  url.username = "";
  url.password = "";
  return url.href;
}

/** The choice of a person about the settings of a thread; undefined if they said nothing. */
export type SettingsChoice = "use" | "ignore" | undefined;

/**
 * Returns the settings of a thread that a command goes on with. A person is asked about those that somebody else may have
 * chosen: they were imported, or do not have the person's mark.
 *
 * @param confirm Asks the person at the terminal; undefined if there is none.
 * @throws UsageError if nobody allows such settings.
 */
export async function usableSettings(
  { values, imported }: ThreadSettings,
  choice: SettingsChoice,
  env: Io["env"],
  confirm: ((question: string) => Promise<boolean>) | undefined,
): Promise<SettingTexts> {
  if (choice === "ignore") return {};
  const texts = keptTexts(({ name }) => values[name]);
  if (choice === "use" || Object.keys(texts).length === 0) return texts;
  const key = personsKey(env);
  if (!imported && key !== undefined && isMarked(texts, key, values)) return texts;
  const words = allSettings.flatMap((setting) => {
    const text = texts[setting.name];
    return text === undefined ? [] : [shellWords(typedWords(setting, text))];
  });
  const told = screenName(`This thread has settings that somebody else may have chosen: ${words.join(" ")}.`);
  if (await confirm?.(`${told} Use them? [y/N] `)) return texts;
  const hint = key === undefined ? ` ${withoutKey}` : "";
  throw new UsageError(
    `${told} Give --thread-settings use to use them, or --thread-settings ignore to take your own. Nothing was done.${hint}`,
  );
}

const withoutKey = "To know yours again, Glassloop needs a folder that it can write to: set XDG_STATE_HOME.";
