import { Console } from "node:console";
import type { Io } from "../io.js";
import { readDotEnv } from "./environment.js";
import { type ExitCode, exitCodes } from "./exit-codes.js";

/** The longest time that an open connection, such as one to a server, may delay the end of the process. */
const LONGEST_END_MS = 200;

/**
 * Runs a program with the arguments and streams of this process, and then ends the process. No other place ends it. A
 * reader of the output may stop early, like `| head -1`. The process then ends, too, without a message. What libraries
 * print goes to stderr, so that stdout has only answers.
 */
export async function runToExit(program: (args: readonly string[], io: Io) => Promise<ExitCode>): Promise<void> {
  process.stdout.on("error", endAt);
  process.stderr.on("error", () => {});
  globalThis.console = new Console(process.stderr);
  const { stdin, stdout, stderr, env } = process;
  const exitCode = await program(process.argv.slice(2), { stdin, stdout, stderr, env, dotEnv: readDotEnv });
  await new Promise((written) => process.stdout.write("", written));
  process.exitCode = exitCode;
  // A process that ends by itself closes its databases, which removes their -wal files. `process.exit` leaves those
  // files.
  process.stdin.destroy();
  setTimeout(() => process.exit(exitCode), LONGEST_END_MS).unref();
}

function endAt(error: NodeJS.ErrnoException): never {
  if (error.code === "EPIPE") process.exit();
  process.stderr.write(`error: The output cannot be written: ${error.message}.\n`);
  process.exit(exitCodes.failed);
}
