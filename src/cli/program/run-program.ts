import { CommanderError, type CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Io } from "../io.js";
import { type ExitCode, exitCodes, UsageError } from "./exit-codes.js";
import { reportError } from "./report-error.js";

/**
 * Runs a command line program. Errors are written to stderr. With `--json` they are also written to stdout.
 *
 * @param args The words after the program's name.
 * @param build The function that makes the program. Its actions call `end` with the exit code.
 */
export async function runProgram(
  args: readonly string[],
  io: Io,
  build: (end: (exitCode: ExitCode) => void) => CommandUnknownOpts,
): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.answered;
  const program = build((code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync([...args], { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.answered;
    const told = error instanceof CommanderError ? new UsageError(error.message.replace(/^error: /, "")) : error;
    if (wantsJson(args)) {
      const { failureBeforeTurn } = await import("../../core/run/events.js");
      io.stdout.write(`${JSON.stringify(failureBeforeTurn(told))}\n`);
    }
    return error instanceof CommanderError ? exitCodes.wrongUse : reportError(error, io, databaseIn(args));
  }
}

/** Returns the option `--db` of a command. */
function databaseIn(args: readonly string[]): string | undefined {
  const place = args.indexOf("--db");
  return place < 0 ? args.find((word) => word.startsWith("--db="))?.slice("--db=".length) : args[place + 1];
}

/**
 * Tells whether JSON is wanted. This looks at the words themselves, because the parser may have failed to read them.
 */
function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return args.slice(0, end < 0 ? args.length : end).includes("--json");
}
