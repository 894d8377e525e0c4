import type { Io } from "../../io.js";
import { databaseOption } from "../../program/agent-command.js";
import { type ExitCode, exitCodes } from "../../program/exit-codes.js";
import { type End, programCommand } from "../../program/program-command.js";
import { screenName } from "../../screen/screen-text.js";
import { findThread } from "../../session/find-thread.js";
import { openKeptThreads } from "../../session/open-kept-threads.js";

export function renameCommand(io: Io, end: End) {
  return programCommand("rename", io)
    .alias("mv")
    .description("Give a thread another id.")
    .argument("<id>", "the thread's id")
    .argument("<new-id>", "its new id")
    .addOption(databaseOption())
    .action(async (id, newId, options) => end(await renameThread(id, newId, options, io)));
}

/** Gives a thread another id. */
async function renameThread(id: string, newId: string, { db }: { readonly db?: string }, io: Io): Promise<ExitCode> {
  await using threads = await openKeptThreads(db, io.env);
  const thread = await findThread(threads, id);
  const renamed = await threads.rename(thread.id, newId);
  io.stderr.write(`Thread ${screenName(thread.id)} is now ${screenName(renamed.id)}.\n`);
  return exitCodes.answered;
}
