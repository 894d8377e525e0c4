import { randomUUID } from "node:crypto";
import type { Io } from "../../io.js";
import { databaseOption } from "../../program/agent-command.js";
import { type ExitCode, exitCodes } from "../../program/exit-codes.js";
import { type End, programCommand } from "../../program/program-command.js";
import { findCheckpoint } from "../../session/find-checkpoint.js";
import { findThread } from "../../session/find-thread.js";
import { openKeptThreads } from "../../session/open-kept-threads.js";

export function forkCommand(io: Io, end: End) {
  return programCommand("fork", io)
    .description("Copy a checkpoint of a thread, and its past, into a new thread; print the new thread's id.")
    .argument("<id>", "the thread's id")
    .argument("<checkpoint>", "the checkpoint's id, as `threads show` prints it, or its beginning")
    .argument("[new-id]", "the new thread's id (default: a new one)")
    .addOption(databaseOption())
    .action(async (id, checkpoint, newId, options) => end(await forkThread({ id, checkpoint, newId }, options, io)));
}

/** The ids of the thread, of its checkpoint and of the new thread. The new thread gets a random id by default. */
interface ForkArguments {
  readonly id: string;
  readonly checkpoint: string;
  readonly newId?: string | undefined;
}

/** Copies a checkpoint of a thread, and its past, into a new thread. */
async function forkThread(
  { id, checkpoint, newId = randomUUID() }: ForkArguments,
  { db }: { readonly db?: string },
  io: Io,
): Promise<ExitCode> {
  await using threads = await openKeptThreads(db, io.env);
  const thread = await findThread(threads, id);
  const forked = await threads.fork(thread.id, await findCheckpoint(threads, thread.id, checkpoint), newId);
  io.stdout.write(`${forked.id}\n`);
  return exitCodes.answered;
}
