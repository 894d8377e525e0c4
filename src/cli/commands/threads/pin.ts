import type { Io } from "../../io.js";
import { type ExitCode, exitCodes } from "../../program/exit-codes.js";
import { findThread } from "../../session/find-thread.js";
import { openKeptThreads } from "../../session/open-kept-threads.js";

/** Keeps a checkpoint from being pruned. */
export async function pinCheckpoint(
  id: string,
  checkpoint: string,
  { db }: { readonly db?: string },
  io: Io,
): Promise<ExitCode> {
  await using threads = await openKeptThreads(db, io.env);
  await findThread(threads, id);
  await threads.pin(id, checkpoint);
  io.stderr.write("Pinned.\n");
  return exitCodes.answered;
}

/** Lets a checkpoint be pruned again. */
export async function unpinCheckpoint(
  id: string,
  checkpoint: string,
  { db }: { readonly db?: string },
  io: Io,
): Promise<ExitCode> {
  await using threads = await openKeptThreads(db, io.env);
  await findThread(threads, id);
  const wasPinned = await threads.unpin(id, checkpoint);
  io.stderr.write(wasPinned ? "No longer pinned.\n" : "This checkpoint was not pinned.\n");
  return exitCodes.answered;
}
