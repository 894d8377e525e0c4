import type { ThreadSummary } from "../../../threads/checkpoints/thread-row.js";
import type { Io } from "../../io.js";
import { databaseOption } from "../../program/agent-command.js";
import { type ExitCode, exitCodes, UsageError } from "../../program/exit-codes.js";
import { interruptible } from "../../program/interruptible.js";
import { type End, programCommand } from "../../program/program-command.js";
import { LineReader } from "../../screen/line-reader.js";
import { counted, screenName } from "../../screen/screen-text.js";
import { findThread } from "../../session/find-thread.js";
import { openKeptThreads } from "../../session/open-kept-threads.js";

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
  await using threads = await openKeptThreads(db, io.env);
  const thread = await findThread(threads, id);
  // A script may name a thread that is gone. Another one whose id begins so must stay.
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

function ask({ id, title = "", turns }: ThreadSummary, io: Io): Promise<"yes" | "no" | "interrupted"> {
  const about = `${counted(turns, "turn")}${title ? `: "${title}"` : ""}`;
  const question = `Delete thread ${screenName(id)} (${screenName(about)})? [y/N] `;
  return confirm(question, io);
}

/** Asks the person at the terminal a question that only "y" and "yes" confirm. */
async function confirm(question: string, io: Io): Promise<"yes" | "no" | "interrupted"> {
  return interruptible(async (interrupted) => {
    using lines = new LineReader(io, question, interrupted);
    const line = await lines.next();
    if (lines.wasInterrupted) return "interrupted";
    return /^\s*y(es)?\s*$/i.test(line ?? "") ? "yes" : "no";
  });
}
