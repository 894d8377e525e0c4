import { InvalidArgumentError } from "@commander-js/extra-typings";
import type { Io } from "../../io.js";
import { databaseOption, readCount } from "../../program/agent-command.js";
import { type ExitCode, exitCodes, UsageError } from "../../program/exit-codes.js";
import { type End, programCommand } from "../../program/program-command.js";
import { screenName } from "../../screen/screen-text.js";
import { findThread } from "../../session/find-thread.js";
import { openKeptThreads } from "../../session/open-kept-threads.js";

export function pruneCommand(io: Io, end: End) {
  return programCommand("prune", io)
    .description(
      "Delete old checkpoints of a thread, or of all of them. The conversation stays, and so do the newest checkpoint " +
        "and the ends of branches.",
    )
    .argument("[id]", "the thread's id (default: all threads)")
    .addOption(databaseOption())
    .option("--keep-turns <number>", "keep the checkpoints of this many last turns", readWhole)
    .option("--keep-days <number>", "keep the checkpoints of this many last days", readCount)
    .option("--drop-branches", "delete branches that were left, such as regenerated answers")
    .action(async (id, options) => end(await pruneThreads(id, options, io)));
}

/** Reads a whole number from 0. */
function readWhole(text: string): number {
  if (/^(0|[1-9]\d{0,8})$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give a whole number from 0.");
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
  await using threads = await openKeptThreads(db, io.env);
  const thread = id === undefined ? undefined : await findThread(threads, id);
  const pruned = await threads.prune({
    ...(thread !== undefined && { thread: thread.id }),
    ...(keepTurns !== undefined && { keepTurns }),
    ...(keepDays !== undefined && { keepSince: new Date(Date.now() - keepDays * DAY_MS) }),
    dropBranches,
  });
  const checkpoints = `${pruned.checkpoints} ${pruned.checkpoints === 1 ? "checkpoint" : "checkpoints"}`;
  const owners = `${pruned.threads} ${pruned.threads === 1 ? "thread" : "threads"}`;
  io.stderr.write(`Deleted ${checkpoints} of ${owners}.\n`);
  for (const thread of pruned.inUse) io.stderr.write(`Left out ${screenName(thread)}: it is in use.\n`);
  for (const thread of pruned.damaged) io.stderr.write(`Left out ${screenName(thread)}: it is damaged.\n`);
  return pruned.inUse.length + pruned.damaged.length === 0 ? exitCodes.answered : exitCodes.failed;
}
