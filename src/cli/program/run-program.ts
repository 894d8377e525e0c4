import { CommanderError, type CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Io } from "../io.js";
import { type ExitCode, exitCodes, UsageError } from "./exit-codes.js";
import { describeError, reportError } from "./report-error.js";

/**
 * Runs a command line program. What is wrong is told on stderr, and where JSON is wanted on stdout, too.
 *
 * @param args What was typed after the program's name.
 * @param build Makes the program. Its actions tell the exit code by `end`.
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
    if (wantsJson(args)) io.stdout.write(`${JSON.stringify({ type: "error", ...describeError(told) })}\n`);
    return error instanceof CommanderError ? exitCodes.wrongUse : reportError(error, io);
  }
}

/** What was typed could not be read, or it would say. */
function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return args.slice(0, end < 0 ? args.length : end).includes("--json");
}
