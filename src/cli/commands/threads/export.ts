import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Io } from "../../io.js";
import { type ExitCode, exitCodes } from "../../program/exit-codes.js";
import { findThread } from "../../session/find-thread.js";
import { openKeptThreads } from "../../session/open-kept-threads.js";

/** Writes a thread to stdout as lines of JSON, no faster than they are read. */
export async function exportThread(id: string, { db }: { readonly db?: string }, io: Io): Promise<ExitCode> {
  await using threads = await openKeptThreads(db, io.env);
  await findThread(threads, id);
  await pipeline(Readable.from(threads.export(id)), io.stdout, { end: false });
  return exitCodes.answered;
}
