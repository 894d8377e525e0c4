import { type ExitCode, exitCodes } from "./exit-codes.js";
import type { Io } from "./io.js";

/**
 * Runs a program in this process, with its arguments and streams, and ends the process: the one place that does.
 * Whoever reads its output may stop reading (`| head -1`): that ends it, too, without a word.
 */
export async function runToExit(program: (args: readonly string[], io: Io) => Promise<ExitCode>): Promise<never> {
  process.stdout.on("error", endAt);
  process.stderr.on("error", () => {});
  const exitCode = await program(process.argv.slice(2), process);
  await new Promise((written) => process.stdout.write("", written));
  process.exit(exitCode);
}

function endAt(error: NodeJS.ErrnoException): never {
  if (error.code === "EPIPE") process.exit();
  process.stderr.write(`error: The output cannot be written: ${error.message}.\n`);
  process.exit(exitCodes.failed);
}
