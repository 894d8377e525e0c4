import { CommanderError, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { type ExitCode, exitCodes } from "./exit-codes.js";
import type { Io } from "./io.js";
import { reportError } from "./report-error.js";

/** Runs a command line program.
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
    if (!(error instanceof CommanderError)) return reportError(error, io);
    return error.exitCode === 0 ? exitCodes.answered : exitCodes.wrongUse;
  }
}
