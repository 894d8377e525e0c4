import { parseEnv } from "node:util";
import { InvalidArgumentError } from "@commander-js/extra-typings";
import { parsedJson } from "../../base/attempted.js";
import { codeOf, messageOf } from "../../base/message-of.js";
import { readSmallFile } from "../../base/read-small-file.js";
import { possibleWords } from "../../base/similar-word.js";
import type { Io } from "../io.js";
import { foreignDatabase } from "./addresses.js";
import { UsageError } from "./exit-codes.js";
import { allSettings, settings, variableOf } from "./settings.js";

/**
 * The variables that `.env` may set: those of `.env.example`. A folder may come from somebody else. It cannot choose programs,
 * documents, or who decides.
 */
const ofDotEnv = /^(?:[A-Z]+_API_KEY|OPENAI_BASE_URL|GLASSLOOP_MODEL|GLASSLOOP_DB|SEARXNG_URL)$/;

const settingsFile = "glassloop.json";
const notOfFile: readonly string[] = [settings.docs, settings.mcp, settings.approve].map(({ name }) => name);
const namesOfFile = ["db", ...allSettings.map(({ name }) => name).filter((name) => !notOfFile.includes(name))];

/** The variables of a command, and which of them come from files of the working folder. */
export type Environment = Pick<Io, "env" | "fileVariables">;

/**
 * Returns the environment of a command: `glassloop.json`, below `.env`, below the variables of the process.
 *
 * @param fileInFolder Reads a file of the working folder.
 * @throws UsageError if a file cannot be read, or names a database with files for its keys.
 */
export async function environmentOf(env: Io["env"], fileInFolder: Io["fileInFolder"] = () => ""): Promise<Environment> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value));
  const dotEnv = Object.entries(parseEnv(fileInFolder(".env"))).filter(([name, value]) => ofDotEnv.test(name) && value);
  const lines = Object.fromEntries(dotEnv);
  const { "base-url": server, ...others } = await readSettings(fileInFolder(settingsFile));
  // A model and its server come from one place.
  const isNamed = (given.GLASSLOOP_MODEL ?? lines.GLASSLOOP_MODEL) !== undefined;
  const written = server === undefined || isNamed ? others : { ...others, "base-url": server };
  const ofFiles = [
    ...Object.entries(written).map(([name, text]) => ({ name: variableOf(name), text, file: settingsFile })),
    ...dotEnv.map(([name, text = ""]) => ({ name, text, file: ".env" })),
  ].filter(({ name }) => given[name] === undefined);
  const variables = ofFiles.map(({ name, text, file }) => {
    return [name, name === "GLASSLOOP_DB" ? foreignDatabase(text, `${name} in ${file}`) : text] as const;
  });
  return {
    env: { ...env, ...Object.fromEntries(variables) },
    fileVariables: new Map(ofFiles.map(({ name, file }) => [name, file])),
  };
}

/** Names the place of a setting in the environment, as errors do: its variable, or its line in a file. */
export function placeOf(name: string, { fileVariables }: Environment): string {
  const variable = variableOf(name);
  const file = fileVariables?.get(variable);
  if (file === settingsFile) return `${file}: ${name}`;
  return file === undefined ? variable : `${variable} in ${file}`;
}

/** Reads a file of the working folder; empty if there is none. */
export function readFileInFolder(name: string): string {
  try {
    return readSmallFile(name);
  } catch (error) {
    if (["ENOENT", "EISDIR"].includes(codeOf(error))) return "";
    throw new UsageError(`The file ${name} cannot be read: ${messageOf(error)}.`);
  }
}

/** Reads the lines of `glassloop.json`. @throws UsageError that says what is wrong and what is possible. */
async function readSettings(text: string): Promise<Readonly<Record<string, string>>> {
  if (text === "") return {};
  const { z } = await import("zod");
  const fileSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String));
  const { data, error } = fileSchema.safeParse(parsedJson(text));
  if (error) {
    const [place] = error.issues[0]?.path ?? [];
    const wanted = 'Give an object of texts, numbers, true and false, such as {"model": "openai:gpt-4o-mini"}.';
    throw new UsageError(`${settingsFile}: ${place === undefined ? "" : `${String(place)}: `}${wanted}`);
  }
  for (const [name, value] of Object.entries(data)) checkLine(name, value);
  return data;
}

function checkLine(name: string, text: string): void {
  if (notOfFile.includes(name)) {
    const why = "This file may have come with its folder, so it cannot choose programs, documents, or who decides";
    throw new UsageError(`${settingsFile}: ${name}: ${why}. Give --${name} or ${variableOf(name)}.`);
  }
  if (!namesOfFile.includes(name)) {
    throw new UsageError(`${settingsFile}: There is no setting "${name}". ${possibleWords(name, namesOfFile)}`);
  }
  try {
    allSettings.find((setting) => setting.name === name)?.read(text);
  } catch (error) {
    throw error instanceof InvalidArgumentError ? new UsageError(`${settingsFile}: ${name}: ${error.message}`) : error;
  }
}
