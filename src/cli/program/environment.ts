import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseEnv } from "node:util";
import { parsedJson } from "../../base/attempted.js";
import { isRecord } from "../../base/is-record.js";
import { makeFolder } from "../../base/make-folder.js";
import { codeOf, messageOf } from "../../base/message-of.js";
import { readSmallFile } from "../../base/read-small-file.js";
import { possibleWords } from "../../base/similar-word.js";
import type { Io } from "../io.js";
import { foreignDatabase } from "./addresses.js";
import { UsageError } from "./exit-codes.js";
import { allSettings, type SettingTexts, variableOf } from "./settings.js";

/**
 * The variables that `.env` may set: those of `.env.example`. A folder may come from somebody else. It cannot choose programs,
 * documents, or who decides.
 */
const ofFile = /^(?:[A-Z]+_API_KEY|OPENAI_BASE_URL|GLASSLOOP_MODEL|GLASSLOOP_DB|SEARXNG_URL)$/;

/** The variables of a command, and which of them come from files. */
export type Environment = Pick<Io, "env" | "fileVariables" | "configVariables">;

/**
 * Returns the environment of a command: the config file, below `.env`, below the variables of the process.
 *
 * @param dotEnv The text of the file `.env` in the working folder.
 * @throws UsageError if the config file cannot be read, or `.env` names a database with files for its keys.
 */
export function environmentOf(env: Io["env"], dotEnv = ""): Environment {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value));
  const file = Object.fromEntries(
    Object.entries(parseEnv(dotEnv))
      .filter(([name, value]) => ofFile.test(name) && value && given[name] === undefined)
      .map(([name, value]) => [name, name === "GLASSLOOP_DB" ? foreignDatabase(String(value)) : value]),
  );
  const { "base-url": server, ...config } = readConfig(configPath(env));
  // A model and its server come from one place.
  const isNamed = given.GLASSLOOP_MODEL !== undefined || file.GLASSLOOP_MODEL !== undefined;
  const lines = asVariables(isNamed || server === undefined ? config : { ...config, "base-url": server });
  const others = { ...file, ...given };
  return {
    env: { ...env, ...lines, ...others },
    fileVariables: new Set(Object.keys(file)),
    configVariables: new Set(Object.keys(lines).filter((name) => !(name in others))),
  };
}

/** Names the place of a setting in the environment, as errors do: its variable, or its line in a file. */
export function placeOf(name: string, { env, fileVariables, configVariables }: Environment): string {
  const variable = variableOf(name);
  if (configVariables?.has(variable)) return `${configPath(env)}: ${name}`;
  return fileVariables?.has(variable) ? `${variable} in .env` : variable;
}

/** Reads the file `.env` of the working folder; nothing if there is none. */
export function readDotEnv(): string {
  try {
    return readSmallFile(".env");
  } catch (error) {
    if (["ENOENT", "EISDIR"].includes(codeOf(error))) return "";
    throw new UsageError(`The file .env cannot be read: ${messageOf(error)}.`);
  }
}

/** The names of what the config file may set: the database, and the settings of an agent. */
export const configNames: readonly string[] = ["db", ...allSettings.map(({ name }) => name)];

/**
 * Returns the path of the config file: in `XDG_CONFIG_HOME`, in `APPDATA` on Windows, or in `.config` of the home folder.
 * It is undefined if no variable names such a folder.
 */
export function configPath({ XDG_CONFIG_HOME, APPDATA, HOME }: Io["env"]): string | undefined {
  const folder = XDG_CONFIG_HOME || APPDATA || (HOME && join(HOME, ".config"));
  return folder ? join(folder, "glassloop", "config.json") : undefined;
}

/**
 * Reads the config file; nothing if there is none.
 *
 * @throws UsageError if the file cannot be read, or has a line that cannot be.
 */
export function readConfig(path: string | undefined): SettingTexts {
  return path === undefined ? {} : checkedLines(path, configLines(path));
}

/** Reads the lines of the config file, right or wrong. @throws UsageError if the file cannot be read. */
export function configLines(path: string): Record<string, unknown> {
  const data = parsedJson(textOf(path));
  if (isRecord(data)) return data;
  throw new UsageError(`The config file ${path} is no JSON object. Mend it, or delete it.`);
}

/** Checks lines of the config file. @throws UsageError if one cannot be read. */
export function checkedLines(path: string, lines: Readonly<Record<string, unknown>>): SettingTexts {
  return Object.fromEntries(
    Object.entries(lines).map(([name, value]) => {
      if (!["string", "number", "boolean"].includes(typeof value)) {
        throw new UsageError(`${path}: ${name}: Give a text.`);
      }
      return [name, checkedConfig(name, String(value), `${path}: `)];
    }),
  );
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return "{}";
    throw new UsageError(`The config file ${path} cannot be read: ${messageOf(error)}.`);
  }
}

/**
 * Checks the name and the text of a line.
 *
 * @param place The words before the sentence of an error.
 * @throws UsageError
 */
export function checkedConfig(name: string, text: string, place = ""): string {
  if (!configNames.includes(name)) {
    throw new UsageError(`${place}There is no setting "${name}". ${possibleWords(name, configNames)}`);
  }
  try {
    allSettings.find((setting) => setting.name === name)?.read(text);
    return text;
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`${place}${name}: ${error.message}`) : error;
  }
}

/**
 * Writes the config file, which only its owner can read: all of it or nothing.
 *
 * @throws UsageError if it cannot be written.
 */
export function writeConfig(path: string, texts: SettingTexts): void {
  const draft = `${path}.${process.pid}`;
  try {
    makeFolder(dirname(path));
    writeFileSync(draft, `${JSON.stringify(texts, null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, path);
  } catch (error) {
    throw new UsageError(`The config file ${path} cannot be written: ${messageOf(error)}.`);
  }
}

/** Returns the lines of the config file as variables. */
function asVariables(texts: SettingTexts): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [variableOf(name), text]));
}
