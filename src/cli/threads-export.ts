import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { openThreads } from "../threads/open.js";
import { databaseUrl } from "./defaults.js";
import { type ExitCode, exitCodes } from "./exit-codes.js";
import { findThread } from "./find-thread.js";
import type { Io } from "./io.js";

/** Writes a thread to stdout as lines of JSON, no faster than they are read. */
export async function exportThread(id: string, { db }: { readonly db?: string }, io: Io): Promise<ExitCode> {
  await using threads = await openThreads(databaseUrl(db, io.env));
  await findThread(threads, id);
  await pipeline(Readable.from(threads.export(id)), io.stdout, { end: false });
  return exitCodes.answered;
}
