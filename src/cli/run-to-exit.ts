import type { ExitCode } from "./exit-codes.js";
import type { Io } from "./io.js";

/**
 * Runs a program in this process, with its arguments and streams, and ends the process: the one place that does.
 * Whoever reads its output may stop reading (`| head -1`): that ends it, too, without a word.
 */
export async function runToExit(program: (args: readonly string[], io: Io) => Promise<ExitCode>): Promise<never> {
  process.stdout.on("error", endQuietly);
  process.stderr.on("error", () => {});
  const exitCode = await program(process.argv.slice(2), process);
  await new Promise((written) => process.stdout.write("", written));
  process.exit(exitCode);
}

function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
  process.exit();
}
