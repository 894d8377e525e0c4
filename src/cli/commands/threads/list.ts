import type { Io } from "../../io.js";
import { databaseUrl } from "../../program/addresses.js";
import { databaseOption, readCount } from "../../program/agent-command.js";
import { type ExitCode, exitCodes } from "../../program/exit-codes.js";
import { type End, programCommand } from "../../program/program-command.js";
import { coloursFor } from "../../screen/colours.js";
import { type ListedThread, threadLines } from "../../screen/thread-lines.js";
import { openKeptThreads } from "../../session/open-kept-threads.js";

export function listCommand(io: Io, end: End) {
  return programCommand("list", io)
    .alias("ls")
    .description("List the threads, the one used last first.")
    .addOption(databaseOption())
    .option("--limit <number>", "the most threads to list", readCount, 20)
    .option("--json", "print one JSON object per line for each thread")
    .action(async (options) => end(await listThreads(options, io)));
}

interface ListOptions {
  readonly db?: string;
  readonly limit: number;
  readonly json?: boolean;
}

/** Lists the threads of a database, the one written last first. */
async function listThreads({ db, limit, json = false }: ListOptions, io: Io): Promise<ExitCode> {
  await using threads = await openKeptThreads(db, io.env);
  const found = await threads.list({ limit: limit + 1 });
  const { personAsked } = await import("../../../core/run/events.js");
  const listed = found
    .slice(0, limit)
    .map(({ interrupts, ...thread }): ListedThread => ({ ...thread, waiting: interrupts?.map(personAsked) }));
  io.stdout.write(json ? listed.map(jsonLine).join("") : threadLines(listed, coloursFor(io.stdout, io.env)));
  if (found.length === 0 && !json) io.stderr.write(`There are no threads in ${databaseUrl(db, io.env)} yet.\n`);
  if (found.length > limit && !json) io.stderr.write("There are more threads: see --limit.\n");
  return exitCodes.answered;
}

function jsonLine({ id, ...summary }: ListedThread): string {
  return `${JSON.stringify({ type: "thread", thread: id, ...summary })}\n`;
}
