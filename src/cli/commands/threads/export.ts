import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Io } from "../../io.js";
import { databaseOption } from "../../program/agent-command.js";
import { type ExitCode, exitCodes } from "../../program/exit-codes.js";
import { type End, programCommand } from "../../program/program-command.js";
import { findThread } from "../../session/find-thread.js";
import { openKeptThreads } from "../../session/open-kept-threads.js";

export function exportCommand(io: Io, end: End) {
  return programCommand("export", io)
    .description("Write a thread, with all that is kept of it, to stdout as lines of JSON.")
    .argument("<id>", "the thread's id")
    .addOption(databaseOption())
    .action(async (id, options) => end(await exportThread(id, options, io)));
}

/** Writes a thread to stdout as lines of JSON. It is read only as fast as stdout takes the lines. */
async function exportThread(id: string, { db }: { readonly db?: string }, io: Io): Promise<ExitCode> {
  await using threads = await openKeptThreads(db, io.env);
  await findThread(threads, id);
  await pipeline(Readable.from(threads.export(id)), io.stdout, { end: false });
  return exitCodes.answered;
}
