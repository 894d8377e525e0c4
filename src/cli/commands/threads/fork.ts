import { randomUUID } from "node:crypto";
import type { Io } from "../../io.js";
import { databaseOption, type End, type NewCommand } from "../../program/options.js";
import { findCheckpoint, findThread, openKeptThreads } from "../../session/kept-threads.js";

export function declare(command: NewCommand, io: Io, _end: End) {
  return command
    .argument("<id>", "the thread's id")
    .argument("<checkpoint>", "the checkpoint's id, as `threads show` prints it, or its beginning")
    .argument("[new-id]", "the new thread's id (default: a new one)")
    .addOption(databaseOption())
    .action(async (id, checkpoint, newId, { db }) => {
      await using threads = await openKeptThreads(db, io);
      const thread = await findThread(threads, id);
      const start = await findCheckpoint(threads, thread.id, checkpoint);
      const forked = await threads.fork(thread.id, start, newId ?? randomUUID());
      io.stdout.write(`${forked.id}\n`);
    });
}
