import { Option } from "@commander-js/extra-typings";
import { InvalidOptionError } from "../../../base/errors.js";
import { inOneLine, shorten } from "../../../base/shorten.js";
import type { PersonAsked } from "../../../core/run/events.js";
import type { ThreadSummary } from "../../../threads/checkpoints/thread-row.js";
import type { SearchHit } from "../../../threads/lookup/search.js";
import type { Io } from "../../io.js";
import { databaseUrl } from "../../program/addresses.js";
import { UsageError } from "../../program/exit-codes.js";
import { databaseOption, type End, type NewCommand, type PrintOptions } from "../../program/options.js";
import { count } from "../../program/setting-readers.js";
import { type Colours, coloursFor } from "../../screen/colours.js";
import { counted, jsonLine, minuteOf, screenName, screenText } from "../../screen/screen-text.js";
import { questionLines } from "../../screen/step-lines.js";
import { openKeptThreads } from "../../session/kept-threads.js";

export function declare(command: NewCommand, io: Io, _end: End) {
  return command
    .addOption(databaseOption())
    .option("--waiting", "only those that wait for a person, with what they ask")
    .addOption(
      new Option("--search <words>", "the questions and answers that contain all the words, instead").conflicts(
        "waiting",
      ),
    )
    .option("--limit <number>", "the highest number to list", count, 20)
    .option("--json", "print one JSON object per line for each thread, or each question or answer")
    .action((options) =>
      options.search === undefined ? listThreads(options, io) : search(options.search, options, io),
    );
}

interface ListOptions extends PrintOptions {
  readonly limit: number;
  readonly waiting?: true;
}

/** How a list is printed. */
interface Listing<Item> {
  readonly type: string;
  /** Writes items for the screen. */
  lines(items: readonly Item[], colours: Colours): string;
  readonly none: string;
}

/** Prints a list. Its last item is beyond the limit if there is more. */
function print<Item extends object>(
  found: readonly Item[],
  { limit, json }: ListOptions,
  { stdout, stderr, env }: Io,
  { type, lines, none }: Listing<Item>,
): void {
  const listed = found.slice(0, limit);
  if (json) {
    for (const item of listed) stdout.write(jsonLine({ type, ...item }));
    return;
  }
  stdout.write(lines(listed, coloursFor(stdout, env)));
  if (found.length === 0) stderr.write(`${none}\n`);
  if (found.length > limit) stderr.write("There are more: see --limit.\n");
}

/** Lists the threads of a database, the one written last first. */
async function listThreads(options: ListOptions, io: Io): Promise<void> {
  const { db, limit, waiting = false } = options;
  await using threads = await openKeptThreads(db, io);
  const found = await threads.list({ waiting, limit: limit + 1 });
  const { personAsked } = await import("../../../core/run/events.js");
  const listed = found.map(({ id, interrupts, ...thread }) => {
    return { thread: id, ...thread, waiting: interrupts?.map(personAsked) };
  });
  print(listed, options, io, {
    type: "thread",
    lines: waiting ? (items, colours) => items.map((item) => waitingLines(item, colours)).join("") : threadLines,
    none: waiting ? "No thread waits for a person." : `There are no threads in ${databaseUrl(db, io)} yet.`,
  });
}

/** A thread, with what it asks a person. */
type ListedThread = Omit<ThreadSummary, "id" | "interrupts"> & {
  readonly thread: string;
  readonly waiting?: readonly PersonAsked[] | undefined;
};

/** Writes threads in columns: id, time, turns, title. */
function threadLines(threads: readonly ListedThread[], { bold, dim, yellow }: Colours): string {
  const idOf = ({ thread }: ListedThread) => screenName(thread);
  const turnsOf = ({ turns }: ListedThread) => counted(turns, "turn");
  const widest = (textOf: typeof idOf) => Math.max(...threads.map((thread) => textOf(thread).length));
  const [ids, counts] = [widest(idOf), widest(turnsOf)];
  const lines = threads.map((thread) => {
    const note = thread.status === "idle" ? "" : `${yellow(`[${statusText(thread)}]`)} `;
    const title = shorten(inOneLine(screenText(thread.title ?? "")), 80);
    const columns = [bold(idOf(thread).padEnd(ids)), dim(minuteOf(thread.updatedAt)), turnsOf(thread).padStart(counts)];
    return `${columns.join("  ")}  ${note}${title}\n`;
  });
  return lines.join("");
}

/** Writes a status, with the tools whose calls wait for a person. */
function statusText({ status, waiting = [] }: ListedThread): string {
  const requests = waiting.flatMap((asked) => (asked.type === "approval" ? asked.requests : []));
  const tools = [...new Set(requests.map(({ tool }) => screenText(tool)))];
  return tools.length === 0 ? status : `${status}: ${tools.join(", ")}`;
}

function waitingLines({ thread, updatedAt, lastQuestion = "", waiting = [] }: ListedThread, colours: Colours): string {
  const title = `${colours.bold(screenName(thread))}  ${colours.dim(minuteOf(updatedAt))}  ${screenText(lastQuestion)}\n`;
  return `${title}${waiting.map((asked) => questionLines(asked, colours)).join("")}\n`;
}

/** Prints the questions and answers that contain all the words. */
async function search(words: string, options: ListOptions, io: Io): Promise<void> {
  await using threads = await openKeptThreads(options.db, io);
  const found = await threads.search(words, { limit: options.limit + 1 }).catch((error: unknown) => {
    throw error instanceof InvalidOptionError ? new UsageError(`--search: ${error.reason}`) : error;
  });
  print(found, options, io, {
    type: "hit",
    lines: (hits, colours) => hits.map((hit) => hitLine(hit, colours)).join(""),
    none: "Nothing was found.",
  });
}

function hitLine({ thread, speaker, excerpt }: SearchHit, { bold, dim }: Colours): string {
  return `${bold(screenName(thread))}  ${dim(speaker.padEnd("question".length))}  ${screenText(excerpt)}\n`;
}
