import { inOneLine, shorten } from "../../../base/shorten.js";
import type { ThreadSummary } from "../../../threads/checkpoints/thread-row.js";
import type { PersonAsked } from "../../../turn/events.js";
import type { Io } from "../../io.js";
import { databaseUrl } from "../../program/addresses.js";
import { databaseOption, readCount } from "../../program/agent-command.js";
import { type ExitCode, exitCodes } from "../../program/exit-codes.js";
import { type End, programCommand } from "../../program/program-command.js";
import { coloursFor } from "../../screen/colours.js";
import { minuteOf, screenName, screenText } from "../../screen/screen-text.js";
import { openKeptThreads } from "../../session/open-kept-threads.js";

export function listCommand(io: Io, end: End) {
  return programCommand("list", io)
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
  const { personAsked } = await import("../../../turn/events.js");
  for (const { interrupts, ...thread } of found.slice(0, limit)) {
    const listed: ListedThread = { ...thread, waiting: interrupts?.map(personAsked) };
    io.stdout.write(json ? jsonLine(listed) : screenLine(listed, io));
  }
  if (found.length === 0 && !json) io.stderr.write(`There are no threads in ${databaseUrl(db, io.env)} yet.\n`);
  if (found.length > limit && !json) io.stderr.write("There are more threads: see --limit.\n");
  return exitCodes.answered;
}

type ListedThread = Omit<ThreadSummary, "interrupts"> & { readonly waiting: readonly PersonAsked[] | undefined };

function jsonLine({ id, ...summary }: ListedThread): string {
  return `${JSON.stringify({ type: "thread", thread: id, ...summary })}\n`;
}

function screenLine(thread: ListedThread, { stdout, env }: Io): string {
  const { id, updatedAt, turns, title = "", status } = thread;
  const colours = coloursFor(stdout, env);
  const count = `${turns} ${turns === 1 ? "turn" : "turns"}`.padStart("99 turns".length);
  const note = status === "idle" ? "" : `${colours.yellow(`[${statusText(thread)}]`)} `;
  return `${colours.bold(screenName(id))}  ${colours.dim(minuteOf(updatedAt))}  ${count}  ${note}${shorten(inOneLine(screenText(title)), 80)}\n`;
}

/** Writes a status, with the tools whose calls wait for a person. */
function statusText({ status, waiting = [] }: ListedThread): string {
  const requests = waiting.flatMap((asked) => (asked.type === "approval" ? asked.requests : []));
  const tools = [...new Set(requests.map(({ tool }) => screenText(tool)))];
  return tools.length === 0 ? status : `${status}: ${tools.join(", ")}`;
}
