import { InvalidArgumentError } from "@commander-js/extra-typings";
import type { IndexProgress } from "../../documents/index-progress.js";
import type { IndexReport, SearchResult } from "../../documents/retriever.js";
import type { Io, Output } from "../io.js";
import { databaseUrl } from "../program/addresses.js";
import { databaseOption, type End, type PrintOptions, programCommand, readCount } from "../program/commands.js";
import { type ExitCode, exitCodes, UsageError } from "../program/exit-codes.js";
import { interruptible } from "../program/interruptible.js";
import { settingOptions, settings, typedSettings } from "../program/settings.js";
import { coloursFor } from "../screen/colours.js";
import { indexingWords } from "../screen/indexing-words.js";
import { counted, jsonLine, screenName, screenText, shortened } from "../screen/screen-text.js";
import { checkedFolder, indexBeside } from "../session/load-tools.js";

/** Makes the command `glassloop docs`, with a command for each action. */
export function docsCommand(io: Io, end: End) {
  return programCommand("docs", io)
    .description("Index a folder of documents, and test searches in it.")
    .addCommand(indexCommand(io, end))
    .addCommand(searchCommand(io));
}

/** Makes a command with the options of an index. */
function documentsCommand(name: string, io: Io) {
  const command = programCommand(name, io)
    .argument("<dir>", "the folder of the documents")
    .option("--index <file>", "the file of the index (default: beside the threads, where `ask --docs` looks)");
  for (const option of settingOptions([settings.embeddings, settings.embeddingsUrl])) command.addOption(option);
  return command.addOption(databaseOption()).option("--json", "print JSON");
}

/** What the options of an index say, beside its settings. */
interface DocumentsCommandOptions extends PrintOptions {
  readonly index?: string;
}

/** Opens the documents of a folder, and tells where their index is. What is needed for them is imported only now. */
async function openDocuments(dir: string, options: DocumentsCommandOptions, io: Io, maxResults?: number) {
  const folder = await checkedFolder(dir, "<dir>");
  const index = options.index ?? indexBeside(databaseUrl(options.db, io));
  if (index === undefined) throw new UsageError("Say where the index is, with --index: the threads are not in a file.");
  const embeddings = await embeddingsOf(options, io);
  const { documents } = await import("../../documents/documents.js");
  return { docs: documents({ folder, index, embeddings, maxResults }), index };
}

/** Loads the embedding model that the options and the environment name, as a session does. */
async function embeddingsOf(options: DocumentsCommandOptions, io: Io) {
  const [{ ChosenSettings, environmentLayer, typedLayer }, { embeddingServer }, { tellWithheld }] = await Promise.all([
    import("../session/chosen-settings.js"),
    import("../session/server.js"),
    import("../session/notices.js"),
  ]);
  const chosen = new ChosenSettings([typedLayer(typedSettings(options)), environmentLayer(io)]);
  const server = embeddingServer(chosen, io);
  const embeddings = await server?.load();
  if (server?.withheld) tellWithheld([server.withheld], io);
  return embeddings;
}

function indexCommand(io: Io, end: End) {
  return documentsCommand("index", io)
    .description("Bring the index of a folder up to date. Ctrl-C stops, and the next run goes on from there.")
    .action(async (dir, options) => end(await indexDocuments(dir, options, io)));
}

/** The largest number of documents that are named with the reason why they are left out. */
const mostNamed = 20;

/** Brings an index up to date, tells how far it is, and what was left out. */
async function indexDocuments(dir: string, options: DocumentsCommandOptions, io: Io): Promise<ExitCode> {
  const { docs, index } = await openDocuments(dir, options, io);
  await using _ = docs;
  const line = new ProgressLine(io.stderr);
  const tell = (progress: IndexProgress) => {
    if (progress.step !== "other-model") return line.show(indexingWords({ ...progress, work: progress.step }));
    line.clear();
    io.stderr.write(`The vectors were made by ${screenName(progress.before)}. All are made again.\n`);
  };
  return interruptible(async (interrupted) => {
    try {
      const report = await docs.refresh(tell, { signal: interrupted });
      line.clear();
      io.stdout.write(options.json ? jsonLine(dataOf(index, report)) : await wordsOf(index, report));
      return exitCodes.answered;
    } catch (error) {
      line.clear();
      if (!interrupted.aborted) throw error;
      io.stderr.write("Stopped. The next run goes on from here.\n");
      return exitCodes.interrupted;
    }
  });
}

/** The report as data. The numbers of files of other kinds stand by their endings. */
function dataOf(index: string, { notSearched, ...counts }: IndexReport) {
  const { others, ...left } = notSearched;
  const { kinds, links, closed, hasMore } = others;
  return {
    type: "index",
    index,
    ...counts,
    notSearched: { ...left, kinds: Object.fromEntries(kinds), links, closed, hasMore },
  };
}

async function wordsOf(index: string, { documents, passages, notSearched }: IndexReport): Promise<string> {
  const { tellNotSearched } = await import("../../documents/not-searched.js");
  const counts = `${counted(documents, "document")}, ${counted(passages, "passage")}`;
  const left = tellNotSearched(notSearched, mostNamed).map((sentence) => `${screenName(sentence)}\n`);
  return [`${counts} in ${screenName(index)}\n`, ...left].join("");
}

/** The time between two lines, where no person looks at a terminal. */
const pauseMs = 2_000;

/** How far a work is, on stderr: one line that changes on a terminal, and else a line every two seconds. */
class ProgressLine {
  #last = -Infinity;

  constructor(private readonly output: Output) {}

  show(text: string): void {
    if (this.output.isTTY) this.output.write(`\r\u001b[2K${screenName(text)}`);
    else if (performance.now() - this.#last >= pauseMs) {
      this.#last = performance.now();
      this.output.write(`${screenName(text)}\n`);
    }
  }

  /** Makes room for other lines. */
  clear(): void {
    if (this.output.isTTY) this.output.write("\r\u001b[2K");
  }
}

function searchCommand(io: Io) {
  return documentsCommand("search", io)
    .description("Show what is found for words or a question, with scores.")
    .argument("<words...>", "the words to look for")
    .option("--limit <number>", "the highest number of passages, up to 50", readLimit, 5)
    .action((dir, words, options) => searchDocuments(dir, words.join(" "), options, io));
}

function readLimit(text: string): number {
  const limit = readCount(text);
  if (limit > 50) throw new InvalidArgumentError("Give at most 50.");
  return limit;
}

/** Prints the passages that are found, the best first. */
async function searchDocuments(
  dir: string,
  query: string,
  options: DocumentsCommandOptions & { readonly limit: number },
  io: Io,
): Promise<void> {
  const { docs } = await openDocuments(dir, options, io, options.limit);
  await using _ = docs;
  const { found, notSearched } = await interruptible((signal) => docs.search(query, { signal }));
  for (const document of found)
    io.stdout.write(options.json ? jsonLine(dataOfPassage(document)) : screenLines(document, io));
  if (options.json) return;
  const { tellNotSearched } = await import("../../documents/not-searched.js");
  if (found.length === 0) io.stderr.write("Nothing was found.\n");
  for (const sentence of tellNotSearched(notSearched)) io.stderr.write(`${screenName(sentence)}\n`);
}

type Found = SearchResult["found"][number];

function dataOfPassage({ pageContent, metadata }: Found) {
  return { type: "passage", ...metadata, passage: pageContent };
}

function screenLines({ pageContent, metadata: { address, heading, score } }: Found, { stdout, env }: Io): string {
  const { bold, dim } = coloursFor(stdout, env);
  const place = `${bold(screenName(address))}${heading && `  ${screenName(heading)}`}`;
  return `${dim(score.toFixed(3))}  ${place}\n${screenText(shortened(pageContent))}\n\n`;
}
