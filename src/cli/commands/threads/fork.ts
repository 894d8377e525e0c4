import { randomUUID } from "node:crypto";
import type { Io } from "../../io.js";
import { type ExitCode, exitCodes } from "../../program/exit-codes.js";
import { findThread } from "../../session/find-thread.js";
import { openKeptThreads } from "../../session/open-kept-threads.js";

/** What to fork: a thread, its checkpoint, and the new thread's id; a new one unless given. */
export interface ForkArguments {
  readonly id: string;
  readonly checkpoint: string;
  readonly newId?: string | undefined;
}

/** Copies a checkpoint of a thread, and its past, into a new thread. */
export async function forkThread(
  { id, checkpoint, newId = randomUUID() }: ForkArguments,
  { db }: { readonly db?: string },
  io: Io,
): Promise<ExitCode> {
  await using threads = await openKeptThreads(db, io.env);
  await findThread(threads, id);
  const forked = await threads.fork(id, checkpoint, newId);
  io.stdout.write(`${forked.id}\n`);
  return exitCodes.answered;
}
