import {
  GlassloopError,
  hasCode,
  InvalidOptionError,
  ThreadError,
  ThreadsDatabaseError,
} from "../../../base/errors.js";
import type { Io } from "../../io.js";
import { databaseUrl } from "../../program/addresses.js";
import { type ExitCode, exitCodes, UsageError } from "../../program/exit-codes.js";
import { databaseOption, type End, type NewCommand } from "../../program/options.js";
import { reportError } from "../../program/report-error.js";
import { counted } from "../../screen/screen-text.js";
import { findThread, isStillToMake, openKeptThreads } from "../../session/kept-threads.js";

export function declare(command: NewCommand, io: Io, end: End) {
  return command
    .argument("[id]", "the thread's id (default: all threads)")
    .requiredOption("--to <url>", 'the other database: "sqlite:PATH" or "postgres://…"')
    .addOption(databaseOption())
    .action(async (id, options) => end(await copyThreads(id, options, io)));
}

interface CopyOptions {
  readonly db?: string;
  readonly to: string;
}

/** Copies one thread or all threads. A thread that cannot be copied keeps no other one back. */
async function copyThreads(id: string | undefined, { db, to }: CopyOptions, io: Io): Promise<ExitCode> {
  if (/^memory:/i.test(to))
    throw new UsageError('--to: "memory:" keeps nothing. Give "sqlite:PATH" or "postgres://…".');
  const source = databaseUrl(db, io);
  if (id === undefined && isStillToMake(source)) {
    throw new ThreadsDatabaseError(source, "there is no such file, so there are no threads to copy.");
  }
  await using threads = await openKeptThreads(db, io);
  const copied =
    id === undefined ? await threads.list({ limit: Number.MAX_SAFE_INTEGER }) : [await findThread(threads, id)];
  const { openThreads } = await import("../../../threads/open.js");
  await using target = await openThreads(to).catch((error: unknown) => {
    if (!(error instanceof GlassloopError)) throw error;
    throw new UsageError(`--to: ${error instanceof InvalidOptionError ? error.reason : error.message}`);
  });
  let left = 0;
  // The thread written last is the last one to be written there, too.
  for (const { id } of copied.toReversed()) {
    await threads.copy(id, target).catch((error: unknown) => {
      if (error instanceof ThreadsDatabaseError && error.database === target.database)
        throw new GlassloopError(error.code, `--to: ${error.message}`, { cause: error });
      if (!(error instanceof ThreadError)) throw error;
      // A copy cannot have another id.
      reportError(hasCode(error, "thread-exists") ? new GlassloopError(error.code, error.problem) : error, io, db);
      left += 1;
    });
  }
  io.stderr.write(`Copied ${counted(copied.length - left, "thread")}.\n`);
  return left === 0 ? exitCodes.answered : exitCodes.failed;
}
