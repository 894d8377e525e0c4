import {
  CheckpointNotKeptError,
  GlassloopError,
  InvalidOptionError,
  InvalidThreadIdError,
  McpFileError,
  MissingApiKeyError,
  MissingPackageError,
  ThreadInUseError,
  ThreadNotFoundError,
  ThreadsDatabaseError,
  UnknownDatabaseError,
  WebSearchSetupError,
} from "../../base/errors.js";
import { withoutSecretForms } from "../../base/secrets/without-secrets.js";
import type { Io } from "../io.js";
import { coloursFor } from "../screen/colours.js";
import { screenText } from "../screen/screen-text.js";
import { shellWords } from "../screen/shell-words.js";
import { type Environment, placeOf } from "./environment.js";
import { type ExitCode, exitCodes, UsageError } from "./exit-codes.js";

/** The errors that mean a wrong call of the command. All others happened after it. */
const wrongUses = [
  UsageError,
  InvalidOptionError,
  InvalidThreadIdError,
  McpFileError,
  MissingApiKeyError,
  MissingPackageError,
  UnknownDatabaseError,
  WebSearchSetupError,
];

/**
 * Writes an error to stderr and returns its exit code. A bug is written with its stack, any other error as a sentence.
 *
 * @param database The option `--db` of the command, which its hints need, too.
 */
export function reportError(error: unknown, io: ErrorIo, database?: string): ExitCode {
  const { stderr, env, program = "glassloop" } = io;
  const label = coloursFor(stderr, env).red("error:");
  const place = database === undefined ? "" : ` ${shellWords(["--db", database])}`;
  const text = errorText(error, databasePlace(database, io)).replaceAll(
    /"glassloop (threads [^"]+)"/g,
    `"${program} $1${place}"`,
  );
  stderr.write(`${label} ${screenText(withoutSecretForms(text))}\n`);
  return wrongUses.some((wrongUse) => error instanceof wrongUse) ? exitCodes.wrongUse : exitCodes.failed;
}

type ErrorIo = Pick<Io, "stderr" | "program"> & Environment;

/** Names the place of the database's address: the option, unless the environment has it. */
function databasePlace(option: string | undefined, io: ErrorIo): string {
  const { GLASSLOOP_DB } = io.env;
  return GLASSLOOP_DB && (option ?? GLASSLOOP_DB) === GLASSLOOP_DB ? placeOf("db", io) : "--db";
}

function errorText(error: unknown, database: string): string {
  if (error instanceof InvalidOptionError) {
    return `${error.option === "db" ? database : asOption(error.option)}: ${error.reason}`;
  }
  if (error instanceof InvalidThreadIdError) {
    return `This thread id cannot be used: ${error.reason}. Give 1 to 255 characters.`;
  }
  if (error instanceof ThreadInUseError) {
    return `The thread "${error.threadId}" is in use: ${error.runBy} runs it. Wait until it has ended, or take another thread.`;
  }
  if (error instanceof ThreadNotFoundError) {
    return `There is no thread "${error.threadId}". "glassloop threads list" shows the threads.`;
  }
  if (error instanceof CheckpointNotKeptError) {
    return (
      `The thread "${error.threadId}" keeps no checkpoint "${error.checkpointId}": it was pruned, or never existed. ` +
      `"glassloop threads show ${shellWords([error.threadId])}" lists the kept ones.`
    );
  }
  if (error instanceof McpFileError) return `--mcp: ${error.message}`;
  if (error instanceof UnknownDatabaseError || error instanceof ThreadsDatabaseError) {
    return `${database}: ${error.message}`;
  }
  if (error instanceof GlassloopError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/**
 * Turns the name of a library's option, such as `baseUrl`, into that of a command's option. The name of another place
 * stays.
 */
function asOption(name: string): string {
  if (!/^[a-z][A-Za-z]*$/.test(name)) return name;
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
