import { InvalidArgumentError } from "@commander-js/extra-typings";
import type { ThreadSummary } from "../../../threads/checkpoints/thread-row.js";
import type { Io } from "../../io.js";
import { databaseOption, type End, programCommand, readCount } from "../../program/commands.js";
import { type ExitCode, exitCodes, UsageError } from "../../program/exit-codes.js";
import { interruptible } from "../../program/interruptible.js";
import { LineReader } from "../../screen/line-reader.js";
import { counted, screenName } from "../../screen/screen-text.js";
import { findThread, openKeptThreads } from "../../session/kept-threads.js";

export function deleteCommand(io: Io, end: End) {
  return programCommand("delete", io)
    .alias("rm")
    .description("Delete a thread, with all that was kept of it.")
    .argument("<id>", "the thread's id")
    .addOption(databaseOption())
    .option("-y, --yes", "delete without asking; the id must be whole")
    .action(async (id, options) => end(await deleteThread(id, options, io)));
}

interface DeleteOptions {
  readonly db?: string;
  /** True to delete without asking the person at the terminal. */
  readonly yes?: boolean;
}

/** Deletes a thread, after the person at the terminal has confirmed it. */
async function deleteThread(id: string, { db, yes = false }: DeleteOptions, io: Io): Promise<ExitCode> {
  if (!yes && !io.stdin.isTTY) {
    throw new UsageError("Nobody can confirm this, because stdin is not a terminal. Give --yes to delete the thread.");
  }
  await using threads = await openKeptThreads(db, io);
  const thread = await findThread(threads, id);
  // A script may name a thread that was deleted before. A thread whose id only begins with this text must stay.
  if (yes && thread.id !== id) throw new UsageError(`Give the whole id with --yes: ${screenName(thread.id)}.`);
  const answer = yes ? "yes" : await ask(thread, io);
  if (answer !== "yes") {
    io.stderr.write("Nothing was deleted.\n");
    return answer === "no" ? exitCodes.answered : exitCodes.interrupted;
  }
  await threads.delete(thread.id);
  io.stderr.write(`Deleted thread ${screenName(thread.id)}.\n`);
  return exitCodes.answered;
}

/** Asks the person at the terminal. Only "y" and "yes" confirm it. */
async function ask({ id, title = "", turns }: ThreadSummary, io: Io): Promise<"yes" | "no" | "interrupted"> {
  const about = `${counted(turns, "turn")}${title ? `: "${title}"` : ""}`;
  const question = `Delete thread ${screenName(id)} (${screenName(about)})? [y/N] `;
  return interruptible(async (interrupted) => {
    using lines = new LineReader(io, question, interrupted);
    const line = await lines.next();
    if (lines.wasInterrupted) return "interrupted";
    return /^\s*y(es)?\s*$/i.test(line ?? "") ? "yes" : "no";
  });
}

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
