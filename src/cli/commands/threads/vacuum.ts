import type { Io } from "../../io.js";
import { type ExitCode, exitCodes } from "../../program/exit-codes.js";
import { openKeptThreads } from "../../session/open-kept-threads.js";

/** Gives the room of what was deleted back to the disk. */
export async function vacuumDatabase({ db }: { readonly db?: string }, io: Io): Promise<ExitCode> {
  await using threads = await openKeptThreads(db, io.env);
  await threads.vacuum();
  return exitCodes.answered;
}
