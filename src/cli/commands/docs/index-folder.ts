import type { IndexProgress } from "../../../documents/index-progress.js";
import type { IndexReport } from "../../../documents/retriever.js";
import type { Io } from "../../io.js";
import { type ExitCode, exitCodes } from "../../program/exit-codes.js";
import { interruptible } from "../../program/interruptible.js";
import type { End, NewCommand } from "../../program/options.js";
import { counted, jsonLine, screenName } from "../../screen/screen-text.js";
import { indexingWords, waitingOn } from "../../screen/spinner.js";
import { type IndexOptions, openDocuments, withIndexOptions } from "./open-documents.js";

export function declare(command: NewCommand, io: Io, end: End) {
  return withIndexOptions(command).action(async (dir, options) => end(await indexDocuments(dir, options, io)));
}

/** The largest number of documents that are named with the reason why they are left out. */
const mostNamed = 20;

/** Brings an index up to date, and tells what was left out; at a terminal also how far it is. */
async function indexDocuments(dir: string, options: IndexOptions, io: Io): Promise<ExitCode> {
  const { docs, index } = await openDocuments(dir, options, io);
  await using _ = docs;
  const line = waitingOn(io, () => {});
  const tell = (progress: IndexProgress) => {
    line.stop();
    if (progress.step !== "other-model") line.start(indexingWords({ ...progress, work: progress.step }));
    else io.stderr.write(`The vectors were made by ${screenName(progress.before)}. All are made again.\n`);
  };
  return interruptible(async (interrupted) => {
    try {
      const report = await docs.refresh(tell, { signal: interrupted });
      line.stop();
      io.stdout.write(options.json ? jsonLine(dataOf(index, report)) : await wordsOf(index, report));
      return exitCodes.answered;
    } catch (error) {
      line.stop();
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
