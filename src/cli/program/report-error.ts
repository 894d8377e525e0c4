import {
  GlassloopError,
  hasCode,
  InvalidInputError,
  InvalidOptionError,
  SetupError,
  ThreadError,
  ThreadsDatabaseError,
} from "../../base/errors.js";
import { withoutSecretForms } from "../../base/secrets/without-secrets.js";
import type { Io } from "../io.js";
import { coloursFor } from "../screen/colours.js";
import { screenText, shellWords } from "../screen/screen-text.js";
import { type Environment, placeOf } from "./environment.js";
import { type ExitCode, exitCodes, UsageError } from "./exit-codes.js";

/** Tells whether an error means a wrong call of the command. All others happened after it. */
function isWrongUse(error: unknown): boolean {
  const kinds = [UsageError, InvalidInputError, InvalidOptionError, SetupError];
  return kinds.some((kind) => error instanceof kind) || hasCode(error, "invalid-thread-id");
}

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
  return isWrongUse(error) ? exitCodes.wrongUse : exitCodes.failed;
}

type ErrorIo = Pick<Io, "stderr" | "program"> & Environment;

/** Names the place of the database's address: the option, unless the environment has it. */
function databasePlace(option: string | undefined, io: ErrorIo): string {
  const { GLASSLOOP_DB } = io.env;
  return GLASSLOOP_DB && (option ?? GLASSLOOP_DB) === GLASSLOOP_DB ? placeOf("db", io) : "--db";
}

function errorText(error: unknown, database: string): string {
  if (error instanceof InvalidOptionError) {
    return `${error.option === "url" ? database : asOption(error.option)}: ${error.reason}`;
  }
  if (error instanceof ThreadError) return threadText(error);
  if (hasCode(error, "invalid-mcp-file")) return `--mcp: ${error.message}`;
  if (error instanceof ThreadsDatabaseError) return `${database}: ${error.message}`;
  if (error instanceof GlassloopError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Gives a program's advice in words of the command line. */
function threadText({ code, threadId, problem, message }: ThreadError): string {
  switch (code) {
    case "invalid-thread-id":
      return `${problem} Give 1 to 255 characters.`;
    case "thread-in-use":
      return `${problem} Wait until it has ended, or take another thread.`;
    case "thread-not-found":
      return `${problem} "glassloop threads list" shows the threads.`;
    case "checkpoint-not-kept":
      return `${problem} "glassloop threads show ${shellWords([threadId])}" lists the kept ones.`;
    default:
      return message;
  }
}

/**
 * Turns the name of a library's option, such as `baseUrl`, into that of a command's option. The name of another place
 * stays.
 */
function asOption(name: string): string {
  if (!/^[a-z][A-Za-z]*$/.test(name)) return name;
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
