import type { ThreadSummary } from "../../../threads/checkpoints/thread-row.js";
import type { Io } from "../../io.js";
import { type ExitCode, exitCodes, UsageError } from "../../program/exit-codes.js";
import { databaseOption, type End, type NewCommand } from "../../program/options.js";
import { ask } from "../../screen/ask.js";
import { counted, screenName } from "../../screen/screen-text.js";
import { findThread, openKeptThreads } from "../../session/kept-threads.js";

export function declare(command: NewCommand, io: Io, end: End) {
  return command
    .argument("<id>", "the thread's id")
    .addOption(databaseOption())
    .option("-y, --yes", "remove without asking; the id must be whole")
    .action(async (id, options) => end(await removeThread(id, options, io)));
}

interface RemoveOptions {
  readonly db?: string;
  /** True to remove without asking the person at the terminal. */
  readonly yes?: boolean;
}

/** Removes a thread, after the person at the terminal has confirmed it. */
async function removeThread(id: string, { db, yes = false }: RemoveOptions, io: Io): Promise<ExitCode> {
  if (!yes && !io.stdin.isTTY) {
    throw new UsageError("Nobody can confirm this, because stdin is not a terminal. Give --yes to remove the thread.");
  }
  await using threads = await openKeptThreads(db, io);
  const thread = await findThread(threads, id);
  // A script may name a thread that was removed before. A thread whose id only begins with this text must stay.
  if (yes && thread.id !== id) throw new UsageError(`Give the whole id with --yes: ${screenName(thread.id)}.`);
  if (!yes && !(await isConfirmed(thread, io))) {
    io.stderr.write("Nothing was removed.\n");
    return exitCodes.failed;
  }
  await threads.delete(thread.id);
  io.stderr.write(`Removed thread ${screenName(thread.id)}.\n`);
  return exitCodes.answered;
}

/** Asks the person at the terminal. Only "y" and "yes" confirm it. */
async function isConfirmed({ id, title = "", turns }: ThreadSummary, io: Io): Promise<boolean> {
  const about = `${counted(turns, "turn")}${title ? `: "${title}"` : ""}`;
  const answer = await ask(`Remove thread ${screenName(id)} (${screenName(about)})? [y/N] `, io);
  return /^\s*y(es)?\s*$/i.test(answer ?? "");
}
