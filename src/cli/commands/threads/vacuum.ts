import type { Io } from "../../io.js";
import { databaseOption } from "../../program/agent-command.js";
import { type ExitCode, exitCodes } from "../../program/exit-codes.js";
import { type End, programCommand } from "../../program/program-command.js";
import { openKeptThreads } from "../../session/open-kept-threads.js";

export function vacuumCommand(io: Io, end: End) {
  return programCommand("vacuum", io)
    .description("Give the space of deleted threads and checkpoints back to the disk.")
    .addOption(databaseOption())
    .action(async (options) => end(await vacuumDatabase(options, io)));
}

/** Gives the space of deleted rows back to the disk. */
async function vacuumDatabase({ db }: { readonly db?: string }, io: Io): Promise<ExitCode> {
  await using threads = await openKeptThreads(db, io.env);
  await threads.vacuum();
  return exitCodes.answered;
}
