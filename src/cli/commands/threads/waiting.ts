import type { PersonAsked } from "../../../core/run/events.js";
import type { ThreadSummary } from "../../../threads/checkpoints/thread-row.js";
import type { Io } from "../../io.js";
import { databaseOption, readCount } from "../../program/agent-command.js";
import { type ExitCode, exitCodes } from "../../program/exit-codes.js";
import { type End, programCommand } from "../../program/program-command.js";
import { coloursFor } from "../../screen/colours.js";
import { questionLines } from "../../screen/question-lines.js";
import { minuteOf, screenName, screenText } from "../../screen/screen-text.js";
import { openKeptThreads } from "../../session/open-kept-threads.js";

export function waitingCommand(io: Io, end: End) {
  return programCommand("waiting", io)
    .description("List the threads that wait for a person, with what they ask.")
    .addOption(databaseOption())
    .option("--limit <number>", "the most threads to list", readCount, 20)
    .option("--json", "print one JSON object per line for each thread")
    .action(async (options) => end(await listWaiting(options, io)));
}

interface WaitingOptions {
  readonly db?: string;
  readonly limit: number;
  readonly json?: boolean;
}

/** Lists the threads that wait for a person, the one written last first. */
async function listWaiting({ db, limit, json = false }: WaitingOptions, io: Io): Promise<ExitCode> {
  await using threads = await openKeptThreads(db, io.env);
  const found = await threads.list({ waiting: true, limit: limit + 1 });
  const { personAsked } = await import("../../../core/run/events.js");
  for (const { interrupts = [], ...thread } of found.slice(0, limit)) {
    const waiting = interrupts.map(personAsked);
    io.stdout.write(json ? jsonLine(thread, waiting) : screenLines(thread, waiting, io));
  }
  if (found.length === 0 && !json) io.stderr.write("No thread waits for a person.\n");
  if (found.length > limit && !json) io.stderr.write("There are more threads: see --limit.\n");
  return exitCodes.answered;
}

function jsonLine({ id, lastQuestion }: ThreadSummary, waiting: readonly PersonAsked[]): string {
  return `${JSON.stringify({ type: "waiting", thread: id, asked: lastQuestion, waiting })}\n`;
}

function screenLines(
  { id, updatedAt, lastQuestion = "" }: ThreadSummary,
  waiting: readonly PersonAsked[],
  { stdout, env }: Pick<Io, "stdout" | "env">,
): string {
  const colours = coloursFor(stdout, env);
  const title = `${colours.bold(screenName(id))}  ${colours.dim(minuteOf(updatedAt))}  ${screenText(lastQuestion)}\n`;
  return `${title}${waiting.map((asked) => questionLines(asked, colours)).join("")}\n`;
}
