import {
  CheckpointNotKeptError,
  GlassloopError,
  InvalidOptionError,
  InvalidThreadIdError,
  MissingApiKeyError,
  MissingPackageError,
  ThreadInUseError,
  ThreadNotFoundError,
  ThreadsDatabaseError,
  UnknownDatabaseError,
  WebSearchSetupError,
} from "../../base/errors.js";
import type { Io } from "../io.js";
import { coloursFor } from "../screen/colours.js";
import { screenText } from "../screen/screen-text.js";
import { type ExitCode, exitCodes, UsageError } from "./exit-codes.js";

/** What was wrong with how the command was called, and not with what happened then. */
const wrongUses = [
  UsageError,
  InvalidOptionError,
  InvalidThreadIdError,
  MissingApiKeyError,
  MissingPackageError,
  UnknownDatabaseError,
  WebSearchSetupError,
];

/** Tells an error on stderr – a sentence; for a bug its stack, too – and returns the exit code that fits it. */
export function reportError(error: unknown, { stderr, env }: Pick<Io, "stderr" | "env">): ExitCode {
  const label = coloursFor(stderr, env).red("error:");
  stderr.write(`${label} ${screenText(errorText(error))}\n`);
  return wrongUses.some((wrongUse) => error instanceof wrongUse) ? exitCodes.wrongUse : exitCodes.failed;
}

function errorText(error: unknown): string {
  if (error instanceof InvalidOptionError) return `${asOption(error.option)}: ${error.reason}`;
  if (error instanceof ThreadInUseError) {
    return `The thread "${error.threadId}" is in use: ${error.runBy} runs it. Wait until it has ended, or take another thread.`;
  }
  if (error instanceof ThreadNotFoundError) {
    return `There is no thread "${error.threadId}". "glassloop threads list" shows those that there are.`;
  }
  if (error instanceof CheckpointNotKeptError) {
    return (
      `The thread "${error.threadId}" keeps no checkpoint "${error.checkpointId}": it was pruned, or never was. ` +
      '"glassloop threads show" lists those that are kept.'
    );
  }
  if (error instanceof UnknownDatabaseError || error instanceof ThreadsDatabaseError) return `--db: ${error.message}`;
  if (error instanceof GlassloopError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** The name of a library's option, such as `baseUrl`, as it is typed here. That of a variable stays as it is. */
function asOption(name: string): string {
  if (/^[A-Z_]+$/.test(name)) return name;
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** An error as the JSON lines tell it. */
export function describeError(error: unknown): { name: string; message: string } {
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: "Error", message: String(error) };
}
