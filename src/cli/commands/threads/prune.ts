import type { Io } from "../../io.js";
import { type ExitCode, exitCodes, UsageError } from "../../program/exit-codes.js";
import { databaseOption, type End, type NewCommand } from "../../program/options.js";
import { count, whole } from "../../program/setting-readers.js";
import { counted, screenName } from "../../screen/screen-text.js";
import { findThread, openKeptThreads } from "../../session/kept-threads.js";

export function declare(command: NewCommand, io: Io, end: End) {
  return command
    .argument("[id]", "the thread's id (default: all threads)")
    .addOption(databaseOption())
    .option("--keep-turns <number>", "keep the checkpoints of this many last turns", whole)
    .option("--keep-days <number>", "keep the checkpoints of this many last days", count)
    .option("--drop-branches", "delete branches that were left, such as regenerated answers")
    .action(async (id, options) => end(await pruneThreads(id, options, io)));
}

interface PruneOptions {
  readonly db?: string;
  readonly keepTurns?: number;
  readonly keepDays?: number;
  readonly dropBranches?: boolean;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Deletes the checkpoints that are no longer wanted, of one thread or of all threads. */
async function pruneThreads(id: string | undefined, options: PruneOptions, io: Io): Promise<ExitCode> {
  const { db, keepTurns, keepDays, dropBranches = false } = options;
  if (keepTurns === undefined && keepDays === undefined) {
    throw new UsageError("Say what to keep, with --keep-turns or --keep-days or both.");
  }
  await using threads = await openKeptThreads(db, io);
  const thread = id === undefined ? undefined : await findThread(threads, id);
  const pruned = await threads.prune({
    ...(thread !== undefined && { thread: thread.id }),
    ...(keepTurns !== undefined && { keepTurns }),
    ...(keepDays !== undefined && { keepSince: new Date(Date.now() - keepDays * DAY_MS) }),
    dropBranches,
  });
  io.stderr.write(`Deleted ${counted(pruned.checkpoints, "checkpoint")} of ${counted(pruned.threads, "thread")}.\n`);
  for (const thread of pruned.inUse) io.stderr.write(`Left out ${screenName(thread)}: it is in use.\n`);
  for (const thread of pruned.damaged) io.stderr.write(`Left out ${screenName(thread)}: it is damaged.\n`);
  return pruned.inUse.length + pruned.damaged.length === 0 ? exitCodes.answered : exitCodes.failed;
}
