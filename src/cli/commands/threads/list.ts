import { InvalidOptionError } from "../../../base/errors.js";
import type { PersonAsked } from "../../../core/run/events.js";
import type { ThreadSummary } from "../../../threads/checkpoints/thread-row.js";
import type { SearchHit } from "../../../threads/lookup/search.js";
import type { Io } from "../../io.js";
import { databaseUrl } from "../../program/addresses.js";
import { databaseOption, type PrintOptions, programCommand, readCount } from "../../program/commands.js";
import { UsageError } from "../../program/exit-codes.js";
import { type Colours, coloursFor } from "../../screen/colours.js";
import { jsonLine, minuteOf, screenName, screenText } from "../../screen/screen-text.js";
import { questionLines } from "../../screen/step-lines.js";
import { threadLines } from "../../screen/thread-lines.js";
import { openKeptThreads } from "../../session/kept-threads.js";

function listing(name: string, io: Io) {
  return programCommand(name, io)
    .addOption(databaseOption())
    .option("--limit <number>", "the highest number of threads to list", readCount, 20)
    .option("--json", "print one JSON object per line for each thread");
}

export function listCommand(io: Io) {
  return listing("list", io)
    .alias("ls")
    .description("List the threads, the one used last first.")
    .action((options) => listThreads(options, io));
}

export function waitingCommand(io: Io) {
  return listing("waiting", io)
    .description("List the threads that wait for a person, with what they ask.")
    .action((options) => listWaiting(options, io));
}

export function searchCommand(io: Io) {
  return programCommand("search", io)
    .description("Find questions and answers that contain all the words.")
    .argument("<words...>", "the words to search for")
    .addOption(databaseOption())
    .option("--limit <number>", "the highest number of hits", readCount, 20)
    .option("--json", "print one JSON object per line for each question or answer")
    .action((words, options) => searchInThreads(words.join(" "), options, io));
}

type ListOptions = PrintOptions & { readonly limit: number };

/** How a list is printed. */
interface Listing<Item> {
  /** What a line of JSON says of an item. */
  data(item: Item): object;
  /** Writes items for the screen. */
  lines(items: readonly Item[], colours: Colours): string;
  readonly none: string;
  readonly more: string;
}

/** Prints a list. Its last item is beyond the limit if there is more. */
function print<Item>(
  found: readonly Item[],
  { limit, json }: ListOptions,
  { stdout, stderr, env }: Io,
  { data, lines, none, more }: Listing<Item>,
): void {
  const listed = found.slice(0, limit);
  if (json) {
    for (const item of listed) stdout.write(jsonLine(data(item)));
    return;
  }
  stdout.write(lines(listed, coloursFor(stdout, env)));
  if (found.length === 0) stderr.write(`${none}\n`);
  if (found.length > limit) stderr.write(`${more}: see --limit.\n`);
}

/** Lists the threads of a database, the one written last first. */
async function listThreads(options: ListOptions, io: Io): Promise<void> {
  await using threads = await openKeptThreads(options.db, io);
  const found = await threads.list({ limit: options.limit + 1 });
  const { personAsked } = await import("../../../core/run/events.js");
  const listed = found.map(({ interrupts, ...thread }) => ({ ...thread, waiting: interrupts?.map(personAsked) }));
  print(listed, options, io, {
    data: ({ id, ...summary }) => ({ type: "thread", thread: id, ...summary }),
    lines: threadLines,
    none: `There are no threads in ${databaseUrl(options.db, io)} yet.`,
    more: "There are more threads",
  });
}

/** Lists the threads that wait for a person, the one written last first. */
async function listWaiting(options: ListOptions, io: Io): Promise<void> {
  await using threads = await openKeptThreads(options.db, io);
  const found = await threads.list({ waiting: true, limit: options.limit + 1 });
  const { personAsked } = await import("../../../core/run/events.js");
  const listed = found.map(({ interrupts = [], ...thread }) => ({ ...thread, waiting: interrupts.map(personAsked) }));
  print(listed, options, io, {
    data: ({ id, lastQuestion, waiting }) => ({ type: "waiting", thread: id, asked: lastQuestion, waiting }),
    lines: (items, colours) => items.map((thread) => waitingLines(thread, colours)).join(""),
    none: "No thread waits for a person.",
    more: "There are more threads",
  });
}

type WaitingThread = Pick<ThreadSummary, "id" | "updatedAt" | "lastQuestion"> & {
  readonly waiting: readonly PersonAsked[];
};

function waitingLines({ id, updatedAt, lastQuestion = "", waiting }: WaitingThread, colours: Colours): string {
  const title = `${colours.bold(screenName(id))}  ${colours.dim(minuteOf(updatedAt))}  ${screenText(lastQuestion)}\n`;
  return `${title}${waiting.map((asked) => questionLines(asked, colours)).join("")}\n`;
}

/** Prints the questions and answers that contain all the words. */
async function searchInThreads(words: string, options: ListOptions, io: Io): Promise<void> {
  await using threads = await openKeptThreads(options.db, io);
  const found = await threads.search(words, { limit: options.limit + 1 }).catch(explainWords);
  print(found, options, io, {
    data: ({ thread, ...hit }) => ({ type: "hit", thread, ...hit }),
    lines: (hits, colours) => hits.map((hit) => hitLine(hit, colours)).join(""),
    none: "Nothing was found.",
    more: "There is more",
  });
}

/** Names the words as the usage of the command does. */
function explainWords(error: unknown): never {
  throw error instanceof InvalidOptionError ? new UsageError(`<words>: ${error.reason}`) : error;
}

function hitLine({ thread, speaker, excerpt }: SearchHit, { bold, dim }: Colours): string {
  return `${bold(screenName(thread))}  ${dim(speaker.padEnd("question".length))}  ${screenText(excerpt)}\n`;
}
