import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Io } from "../../io.js";
import { databaseOption } from "../../program/agent-command.js";
import { type ExitCode, exitCodes, UsageError } from "../../program/exit-codes.js";
import { type End, programCommand } from "../../program/program-command.js";
import { findThread } from "../../session/find-thread.js";
import { openKeptThreads } from "../../session/open-kept-threads.js";

export function exportCommand(io: Io, end: End) {
  return programCommand("export", io)
    .description("Write a thread, with all that is kept of it, as lines of JSON.")
    .argument("<id>", "the thread's id")
    .option("-o, --output <file>", "a new file, which only you can read, or - for stdout", "-")
    .addOption(databaseOption())
    .action(async (id, options) => end(await exportThread(id, options, io)));
}

interface ExportOptions {
  readonly db?: string;
  readonly output: string;
}

/** Writes a thread as lines of JSON. It is read only as fast as its reader takes the lines. */
async function exportThread(id: string, { db, output }: ExportOptions, io: Io): Promise<ExitCode> {
  await using threads = await openKeptThreads(db, io.env);
  const thread = await findThread(threads, id);
  const lines = Readable.from(threads.export(thread.id));
  if (output === "-") await pipeline(lines, io.stdout, { end: false });
  else await pipeline(lines, newFile(output)).catch((error: unknown) => refuseFile(output, error));
  return exitCodes.answered;
}

function newFile(path: string) {
  return createWriteStream(path, { flags: "wx", mode: 0o600 });
}

/** @throws UsageError if the file cannot be made, and else the error. */
function refuseFile(path: string, error: unknown): never {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const why = reasons[code];
  throw why ? new UsageError(`--output: ${path} ${why}`) : error;
}

const reasons: Readonly<Record<string, string>> = {
  EEXIST: "exists already. Give the name of a new file.",
  ENOENT: "is in a folder that does not exist.",
};
