import type { Io } from "../../io.js";
import { databaseOption } from "../../program/agent-command.js";
import { type ExitCode, exitCodes } from "../../program/exit-codes.js";
import { type End, programCommand } from "../../program/program-command.js";
import { findCheckpoint } from "../../session/find-checkpoint.js";
import { findThread } from "../../session/find-thread.js";
import { openKeptThreads } from "../../session/open-kept-threads.js";

export function pinCommand(io: Io, end: End) {
  return programCommand("pin", io)
    .description("Keep a checkpoint from being pruned.")
    .argument("<id>", "the thread's id")
    .argument("<checkpoint>", "the checkpoint's id, as `threads show` prints it, or its beginning")
    .addOption(databaseOption())
    .action(async (id, checkpoint, options) => end(await pinCheckpoint(id, checkpoint, options, io)));
}

export function unpinCommand(io: Io, end: End) {
  return programCommand("unpin", io)
    .description("Let a checkpoint be pruned again.")
    .argument("<id>", "the thread's id")
    .argument("<checkpoint>", "the checkpoint's id, or its beginning")
    .addOption(databaseOption())
    .action(async (id, checkpoint, options) => end(await unpinCheckpoint(id, checkpoint, options, io)));
}

/** Keeps a checkpoint from being pruned. */
async function pinCheckpoint(
  id: string,
  checkpoint: string,
  { db }: { readonly db?: string },
  io: Io,
): Promise<ExitCode> {
  await using threads = await openKeptThreads(db, io.env);
  const thread = await findThread(threads, id);
  await threads.pin(thread.id, await findCheckpoint(threads, thread.id, checkpoint));
  io.stderr.write("Pinned.\n");
  return exitCodes.answered;
}

/** Lets a checkpoint be pruned again. */
async function unpinCheckpoint(
  id: string,
  checkpoint: string,
  { db }: { readonly db?: string },
  io: Io,
): Promise<ExitCode> {
  await using threads = await openKeptThreads(db, io.env);
  const thread = await findThread(threads, id);
  const wasPinned = await threads.unpin(thread.id, await findCheckpoint(threads, thread.id, checkpoint));
  io.stderr.write(wasPinned ? "No longer pinned.\n" : "This checkpoint was not pinned.\n");
  return exitCodes.answered;
}
