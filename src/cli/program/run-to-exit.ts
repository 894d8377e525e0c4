import type { Io } from "../io.js";
import { type ExitCode, exitCodes } from "./exit-codes.js";

/** How long something that is still open, such as a connection to a server, may keep the process from ending. */
const LONGEST_END_MS = 200;

/**
 * Runs a program in this process, with its arguments and streams, and ends the process: the one place that does.
 * Whoever reads its output may stop reading (`| head -1`): that ends it, too, without a word.
 */
export async function runToExit(program: (args: readonly string[], io: Io) => Promise<ExitCode>): Promise<void> {
  process.stdout.on("error", endAt);
  process.stderr.on("error", () => {});
  const exitCode = await program(process.argv.slice(2), process);
  await new Promise((written) => process.stdout.write("", written));
  process.exitCode = exitCode;
  // By itself the process lets go of its databases, which takes their -wal files away; `process.exit` leaves them.
  process.stdin.destroy();
  setTimeout(() => process.exit(exitCode), LONGEST_END_MS).unref();
}

function endAt(error: NodeJS.ErrnoException): never {
  if (error.code === "EPIPE") process.exit();
  process.stderr.write(`error: The output cannot be written: ${error.message}.\n`);
  process.exit(exitCodes.failed);
}
