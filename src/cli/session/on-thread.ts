import { randomUUID } from "node:crypto";
import { InvalidThreadIdError, ThreadNotFoundError } from "../../base/errors.js";
import { checkThreadId } from "../../threads/thread-id.js";
import { failureBeforeTurn } from "../../turn/events.js";
import type { Io } from "../io.js";
import { databaseUrl } from "../program/addresses.js";
import type { AgentCommandOptions } from "../program/agent-command.js";
import { type ExitCode, UsageError } from "../program/exit-codes.js";
import { reportError } from "../program/report-error.js";
import { isStillToMake } from "./open-kept-threads.js";
import { JsonView } from "./view-of.js";

/** Runs a command on the thread that its options name, or else on a new one. Writes errors to stderr. */
export async function onThread(
  options: AgentCommandOptions,
  io: Io,
  run: (thread: string) => Promise<ExitCode>,
): Promise<ExitCode> {
  const thread = options.thread ?? randomUUID();
  try {
    checkId(thread);
    return await run(thread);
  } catch (error) {
    if (options.json) new JsonView(io.stdout).show(failureBeforeTurn(error, thread));
    return reportError(error, io);
  }
}

/** Runs a command on a thread that must be there. Its id is an argument of the command. Writes errors to stderr. */
export function onKeptThread(
  thread: string,
  options: AgentCommandOptions,
  io: Io,
  run: () => Promise<ExitCode>,
): Promise<ExitCode> {
  return onThread({ ...options, thread }, io, async () => {
    if (options.thread !== undefined) throw new UsageError("Give the thread's id alone, without --thread.");
    if (isStillToMake(databaseUrl(options.db, io.env))) throw new ThreadNotFoundError(thread);
    return run();
  });
}

function checkId(thread: string): void {
  try {
    checkThreadId(thread);
  } catch (error) {
    if (!(error instanceof InvalidThreadIdError)) throw error;
    throw new UsageError(`--thread: this id cannot be used: ${error.reason}. Give 1 to 255 characters.`);
  }
}
