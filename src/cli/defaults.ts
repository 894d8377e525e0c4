import type { Io } from "./io.js";
import { UsageError } from "./usage-error.js";

export const defaultDatabase = "sqlite:.glassloop/threads.db";
export const defaultOpenAIModel = "openai:gpt-4o-mini";

/** The database of an option, else of the environment, else the one in the working folder. */
export function databaseUrl(option: string | undefined, { GLASSLOOP_DB }: Io["env"]): string {
  const url = option ?? (GLASSLOOP_DB || defaultDatabase);
  if (!/^sqlite:(?:\/\/)?$/i.test(url)) return url;
  throw new UsageError(`--db: "${url}" has no path. Give the path of a file, such as "${defaultDatabase}".`);
}

/** The model of an option, else of the environment; without either, OpenAI's where there is a key for it. */
export function modelName(option: string | undefined, { GLASSLOOP_MODEL, OPENAI_API_KEY }: Io["env"]): string {
  return option ?? (GLASSLOOP_MODEL || (OPENAI_API_KEY ? defaultOpenAIModel : "offline"));
}
