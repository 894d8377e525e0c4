import { randomUUID } from "node:crypto";
import { hasCode, ThreadError } from "../../base/errors.js";
import { failureBeforeTurn } from "../../core/run/events.js";
import { checkThreadId } from "../../core/run/thread-id.js";
import type { ThreadSummary } from "../../threads/checkpoints/thread-row.js";
import type { Threads } from "../../threads/open.js";
import type { Io } from "../io.js";
import { databaseUrl } from "../program/addresses.js";
import { type ExitCode, UsageError } from "../program/exit-codes.js";
import type { AgentOptions } from "../program/options.js";
import { reportError } from "../program/report-error.js";
import { findThread, isStillToMake, threadToGoOnWith } from "./kept-threads.js";
import { JsonView } from "./view-of.js";

/** The thread of a command. */
export interface ThreadPlace {
  readonly thread: string;
  /** The address of the database, as it was given. */
  readonly database: string;
  /** The open database; undefined if its file is still to be made. */
  readonly threads: Threads | undefined;
  /** The thread so far; undefined if it is a new one. */
  readonly found: ThreadSummary | undefined;
}

/** Runs a command on the thread that its options name, or else on a new one. Writes errors to stderr. */
export function onThread(
  options: AgentOptions,
  io: Io,
  run: (place: ThreadPlace) => Promise<ExitCode>,
): Promise<ExitCode> {
  const thread = options.thread ?? randomUUID();
  return reporting(thread, options, io, async () => {
    checkId(thread);
    const database = databaseUrl(options.db, io);
    await using threads = await openIfMade(database);
    const found = options.continue ? await lastThread(threads) : threads && (await threadToGoOnWith(threads, thread));
    return await run({ thread: found?.id ?? thread, database, threads, found });
  });
}

/** Runs a command on a thread that must be there. Its id is an argument of the command. Writes errors to stderr. */
export function onKeptThread(
  id: string,
  options: AgentOptions,
  io: Io,
  run: (place: ThreadPlace & { readonly found: ThreadSummary }) => Promise<ExitCode>,
): Promise<ExitCode> {
  return reporting(id, options, io, async () => {
    if (options.thread !== undefined || options.continue) {
      throw new UsageError("Give the thread's id alone, without --thread or --continue.");
    }
    const database = databaseUrl(options.db, io);
    await using threads = await openIfMade(database);
    if (threads === undefined) throw new ThreadError("thread-not-found", id);
    const found = await findThread(threads, id);
    return await run({ thread: found.id, database, threads, found });
  });
}

/** Runs a command, and writes its error to stderr. With `--json` the error is a line on stdout, too. */
async function reporting(
  thread: string,
  { json, db }: AgentOptions,
  io: Io,
  run: () => Promise<ExitCode>,
): Promise<ExitCode> {
  try {
    return await run();
  } catch (error) {
    if (json) new JsonView(io.stdout).show(failureBeforeTurn(error, thread));
    return reportError(error, io, db);
  }
}

async function openIfMade(database: string): Promise<Threads | undefined> {
  if (isStillToMake(database)) return undefined;
  const { openThreads } = await import("../../threads/open.js");
  return openThreads(database);
}

async function lastThread(threads: Threads | undefined): Promise<ThreadSummary> {
  const [last] = (await threads?.list({ limit: 1 })) ?? [];
  if (last !== undefined) return last;
  throw new UsageError("There is no thread yet to go on with. Ask without --continue.");
}

function checkId(thread: string): void {
  try {
    checkThreadId(thread);
  } catch (error) {
    if (!hasCode(error, "invalid-thread-id")) throw error;
    throw new UsageError(`--thread: ${error.problem} Give 1 to 255 characters.`);
  }
}
