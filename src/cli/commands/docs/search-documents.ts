import type { SearchResult } from "../../../documents/retriever.js";
import type { Io } from "../../io.js";
import { readCount } from "../../program/agent-command.js";
import { type ExitCode, exitCodes } from "../../program/exit-codes.js";
import { interruptible } from "../../program/interruptible.js";
import type { End } from "../../program/program-command.js";
import { coloursFor } from "../../screen/colours.js";
import { screenName, screenText, shortened } from "../../screen/screen-text.js";
import { type DocumentsCommandOptions, documentsCommand, openDocuments } from "./documents-command.js";

export function searchCommand(io: Io, end: End) {
  return documentsCommand("search", io)
    .description("Show what is found for words or a question, with scores.")
    .argument("<words...>", "the words to look for")
    .option("--limit <number>", "the most passages, up to 50", readCount, 5)
    .action(async (dir, words, options) => end(await searchDocuments(dir, words.join(" "), options, io)));
}

/** Prints the passages that are found, the best first. */
async function searchDocuments(
  dir: string,
  query: string,
  options: DocumentsCommandOptions & { readonly limit: number },
  io: Io,
): Promise<ExitCode> {
  const { docs } = await openDocuments(dir, options, io, options.limit);
  await using _ = docs;
  const { found, notSearched } = await interruptible((signal) => docs.search(query, { signal }));
  for (const document of found) io.stdout.write(options.json ? jsonLine(document) : screenLines(document, io));
  if (options.json) return exitCodes.answered;
  const { tellNotSearched } = await import("../../../documents/not-searched.js");
  if (found.length === 0) io.stderr.write("Nothing was found.\n");
  for (const sentence of tellNotSearched(notSearched)) io.stderr.write(`${screenName(sentence)}\n`);
  return exitCodes.answered;
}

type Found = SearchResult["found"][number];

function jsonLine({ pageContent, metadata }: Found): string {
  return `${JSON.stringify({ type: "passage", ...metadata, passage: pageContent })}\n`;
}

function screenLines({ pageContent, metadata: { address, heading, score } }: Found, { stdout, env }: Io): string {
  const { bold, dim } = coloursFor(stdout, env);
  const place = `${bold(screenName(address))}${heading && `  ${screenName(heading)}`}`;
  return `${dim(score.toFixed(3))}  ${place}\n${screenText(shortened(pageContent))}\n\n`;
}
