import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  GlassloopError,
  hasCode,
  InvalidOptionError,
  ThreadError,
  ThreadsDatabaseError,
} from "../../../base/errors.js";
import type { Io } from "../../io.js";
import { databaseUrl } from "../../program/addresses.js";
import { databaseOption, type End, programCommand } from "../../program/commands.js";
import { type ExitCode, exitCodes, UsageError } from "../../program/exit-codes.js";
import { reportError } from "../../program/report-error.js";
import { counted, screenName } from "../../screen/screen-text.js";
import { findCheckpoint, findThread, isStillToMake, openKeptThreads } from "../../session/kept-threads.js";
import { notWritten } from "../../session/write-new-file.js";

interface Database {
  readonly db?: string;
}

export function renameCommand(io: Io) {
  return programCommand("rename", io)
    .alias("mv")
    .description("Give a thread another id.")
    .argument("<id>", "the thread's id")
    .argument("<new-id>", "its new id")
    .addOption(databaseOption())
    .action((id, newId, options) => renameThread(id, newId, options, io));
}

/** Gives a thread another id. */
async function renameThread(id: string, newId: string, { db }: Database, io: Io): Promise<void> {
  await using threads = await openKeptThreads(db, io);
  const thread = await findThread(threads, id);
  const renamed = await threads.rename(thread.id, newId);
  io.stderr.write(`Thread ${screenName(thread.id)} is now ${screenName(renamed.id)}.\n`);
}

export function forkCommand(io: Io) {
  return programCommand("fork", io)
    .description("Copy a checkpoint of a thread, and its past, into a new thread; print the new thread's id.")
    .argument("<id>", "the thread's id")
    .argument("<checkpoint>", "the checkpoint's id, as `threads show` prints it, or its beginning")
    .argument("[new-id]", "the new thread's id (default: a new one)")
    .addOption(databaseOption())
    .action((id, checkpoint, newId, options) => forkThread(id, checkpoint, newId ?? randomUUID(), options, io));
}

/** Copies a checkpoint of a thread, and its past, into a new thread. */
async function forkThread(id: string, checkpoint: string, newId: string, { db }: Database, io: Io): Promise<void> {
  await using threads = await openKeptThreads(db, io);
  const thread = await findThread(threads, id);
  const forked = await threads.fork(thread.id, await findCheckpoint(threads, thread.id, checkpoint), newId);
  io.stdout.write(`${forked.id}\n`);
}

export function copyCommand(io: Io, end: End) {
  return programCommand("copy", io)
    .alias("cp")
    .description(
      "Copy a thread, or all of them, into another database. Threads that are there already stay as they are.",
    )
    .argument("[id]", "the thread's id (default: all threads)")
    .requiredOption("--to <url>", 'the other database: "sqlite:PATH" or "postgres://…"')
    .addOption(databaseOption())
    .action(async (id, options) => end(await copyThreads(id, options, io)));
}

/** Copies one thread or all threads. A thread that cannot be copied keeps no other one back. */
async function copyThreads(
  id: string | undefined,
  { db, to }: Database & { readonly to: string },
  io: Io,
): Promise<ExitCode> {
  if (/^memory:/i.test(to))
    throw new UsageError('--to: "memory:" keeps nothing. Give "sqlite:PATH" or "postgres://…".');
  const source = databaseUrl(db, io);
  if (id === undefined && isStillToMake(source)) {
    throw new ThreadsDatabaseError(source, "there is no such file, so there are no threads to copy.");
  }
  await using threads = await openKeptThreads(db, io);
  const copied =
    id === undefined ? await threads.list({ limit: Number.MAX_SAFE_INTEGER }) : [await findThread(threads, id)];
  const { openThreads } = await import("../../../threads/open.js");
  await using target = await openThreads(to).catch((error: unknown) => {
    if (!(error instanceof GlassloopError)) throw error;
    throw new UsageError(`--to: ${error instanceof InvalidOptionError ? error.reason : error.message}`);
  });
  let left = 0;
  // The thread written last is the last one to be written there, too.
  for (const { id } of copied.toReversed()) {
    await threads.copy(id, target).catch((error: unknown) => {
      if (error instanceof ThreadsDatabaseError && error.database === target.database)
        throw new GlassloopError(error.code, `--to: ${error.message}`, { cause: error });
      if (!(error instanceof ThreadError)) throw error;
      // A copy cannot have another id.
      reportError(hasCode(error, "thread-exists") ? new GlassloopError(error.code, error.problem) : error, io, db);
      left += 1;
    });
  }
  io.stderr.write(`Copied ${counted(copied.length - left, "thread")}.\n`);
  return left === 0 ? exitCodes.answered : exitCodes.failed;
}

export function exportCommand(io: Io) {
  return programCommand("export", io)
    .description("Write a thread with all of its data as lines of JSON.")
    .argument("<id>", "the thread's id")
    .option("-o, --output <file>", "a new file, which only you can read, or - for stdout", "-")
    .addOption(databaseOption())
    .action((id, options) => exportThread(id, options, io));
}

/** Writes a thread as lines of JSON. It is read only as fast as its reader takes the lines. */
async function exportThread(id: string, { db, output }: Database & { readonly output: string }, io: Io): Promise<void> {
  await using threads = await openKeptThreads(db, io);
  const thread = await findThread(threads, id);
  const lines = Readable.from(threads.export(thread.id));
  if (output === "-") await pipeline(lines, io.stdout, { end: false });
  else {
    const file = createWriteStream(output, { flags: "wx", mode: 0o600 });
    await pipeline(lines, file).catch((error: unknown) => {
      throw notWritten(output, error);
    });
  }
}
