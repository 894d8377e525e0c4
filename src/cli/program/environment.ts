import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { messageOf } from "../../base/message-of.js";
import type { Io } from "../io.js";
import { asVariables, configPath, readConfig } from "./config-file.js";
import { UsageError } from "./exit-codes.js";
import { variableOf } from "./settings.js";

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
 * @throws UsageError if the config file cannot be read.
 */
export function environmentOf(env: Io["env"], dotEnv = ""): Environment {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value));
  const file = Object.fromEntries(
    Object.entries(parseEnv(dotEnv)).filter(([name, value]) => ofFile.test(name) && value && given[name] === undefined),
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
    return readFileSync(".env", "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "EISDIR")) return "";
    throw new UsageError(`The file .env cannot be read: ${messageOf(error)}.`);
  }
}
