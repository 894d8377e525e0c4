import { createReadStream } from "node:fs";
import type { Input, Io } from "../../io.js";
import { databaseUrl } from "../../program/addresses.js";
import { databaseOption } from "../../program/agent-command.js";
import { type ExitCode, exitCodes, UsageError } from "../../program/exit-codes.js";
import { type End, programCommand } from "../../program/program-command.js";

export function importCommand(io: Io, end: End) {
  return programCommand("import", io)
    .description("Read a thread that `threads export` wrote; print its id.")
    .argument("[file]", 'the file; read from stdin when there is none, or "-"')
    .addOption(databaseOption())
    .option("--id <id>", "the id to give to the thread (default: the one it had)")
    .action(async (file, options) => end(await importThread(file, options, io)));
}

interface ImportOptions {
  readonly db?: string;
  /** A new id for the thread; its old id by default. */
  readonly id?: string;
}

/** Reads a thread from lines of JSON. @param file The path of the file; stdin if it is missing or `-`. */
async function importThread(file: string | undefined, { db, id }: ImportOptions, io: Io): Promise<ExitCode> {
  if (file === undefined && io.stdin.isTTY) {
    throw new UsageError("Give the file that `glassloop threads export` wrote, or pipe it in.");
  }
  const { openThreads } = await import("../../../threads/open.js");
  await using threads = await openThreads(databaseUrl(db, io.env));
  const thread = await threads.import(
    file === undefined || file === "-" ? textOf(io.stdin) : fileText(file),
    id === undefined ? {} : { id },
  );
  io.stdout.write(`${thread.id}\n`);
  return exitCodes.answered;
}

async function* textOf(stream: Input): AsyncGenerator<string> {
  stream.setEncoding("utf8");
  for await (const piece of stream) yield String(piece);
}

const reasons = new Map<unknown, string>([
  ["ENOENT", "there is no such file"],
  ["EACCES", "it may not be read"],
  ["EISDIR", "it is a folder"],
]);

async function* fileText(path: string): AsyncGenerator<string> {
  try {
    for await (const piece of createReadStream(path, { encoding: "utf8" })) yield String(piece);
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? reasons.get(error.code) : undefined;
    throw reason === undefined ? error : new UsageError(`${path} cannot be read: ${reason}.`);
  }
}
