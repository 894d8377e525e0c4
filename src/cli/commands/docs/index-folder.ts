import type { IndexProgress } from "../../../documents/index-progress.js";
import type { IndexReport } from "../../../documents/retriever.js";
import type { Io, Output } from "../../io.js";
import { type ExitCode, exitCodes } from "../../program/exit-codes.js";
import { interruptible } from "../../program/interruptible.js";
import type { End, NewCommand } from "../../program/options.js";
import { indexingWords } from "../../screen/indexing-words.js";
import { counted, jsonLine, screenName } from "../../screen/screen-text.js";
import { type IndexOptions, openDocuments, withIndexOptions } from "./open-documents.js";

export function declare(command: NewCommand, io: Io, end: End) {
  return withIndexOptions(command).action(async (dir, options) => end(await indexDocuments(dir, options, io)));
}

/** The largest number of documents that are named with the reason why they are left out. */
const mostNamed = 20;

/** Brings an index up to date, tells how far it is, and what was left out. */
async function indexDocuments(dir: string, options: IndexOptions, io: Io): Promise<ExitCode> {
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
  const { tellNotSearched } = await import("../../../documents/not-searched.js");
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
