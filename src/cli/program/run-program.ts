import { Console } from "node:console";
import { CommanderError, type CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Io } from "../io.js";
import { jsonLine } from "../screen/screen-text.js";
import { readFileInFolder } from "./environment.js";
import { type ExitCode, exitCodes, UsageError } from "./exit-codes.js";
import { reportError } from "./report-error.js";

/** The longest time that an open connection, such as one to a server, may delay the end of the process. */
const LONGEST_END_MS = 200;

/**
 * Runs a program with the arguments and streams of this process, and then ends the process. No other code ends the process.
 * If a reader of the output stops early, as `| head -1` does, the process ends without a message. What libraries print goes
 * to stderr, so that stdout has only answers.
 */
export async function runToExit(program: (args: readonly string[], io: Io) => Promise<ExitCode>): Promise<void> {
  process.stdout.on("error", endAt);
  process.stderr.on("error", () => {});
  globalThis.console = new Console(process.stderr);
  const { stdin, stdout, stderr, env } = process;
  const exitCode = await program(process.argv.slice(2), { stdin, stdout, stderr, env, fileInFolder: readFileInFolder });
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

/**
 * Runs a command line program. Errors are written to stderr. With `--json` they are also written to stdout.
 *
 * @param args The words after the program's name.
 * @param build The function that makes the program. Its actions call `end` with the exit code.
 */
export async function runProgram(
  args: readonly string[],
  io: Io,
  build: (end: (exitCode: ExitCode) => void) => Promise<CommandUnknownOpts>,
): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.answered;
  try {
    const program = await build((code) => {
      exitCode = code;
    });
    await program.parseAsync([...args], { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.answered;
    const told = error instanceof CommanderError ? new UsageError(error.message.replace(/^error: /, "")) : error;
    if (wantsJson(args)) {
      const { failureBeforeTurn } = await import("../../core/run/events.js");
      io.stdout.write(jsonLine(failureBeforeTurn(told)));
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
