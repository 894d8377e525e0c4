import { InvalidArgumentError } from "@commander-js/extra-typings";
import type { SearchResult } from "../../../documents/retriever.js";
import type { Io } from "../../io.js";
import { interruptible } from "../../program/interruptible.js";
import type { End, NewCommand } from "../../program/options.js";
import { count } from "../../program/setting-readers.js";
import { coloursFor } from "../../screen/colours.js";
import { jsonLine, screenName, screenText, shortened } from "../../screen/screen-text.js";
import { type IndexOptions, openDocuments, withIndexOptions } from "./open-documents.js";

export function declare(command: NewCommand, io: Io, _end: End) {
  return withIndexOptions(command)
    .argument("<words...>", "the words to look for")
    .option("--limit <number>", "the highest number of passages, up to 50", readLimit, 5)
    .action((dir, words, options) => searchDocuments(dir, words.join(" "), options, io));
}

function readLimit(text: string): number {
  const limit = count(text);
  if (limit > 50) throw new InvalidArgumentError("Give at most 50.");
  return limit;
}

/** Prints the passages that are found, the best first. */
async function searchDocuments(
  dir: string,
  query: string,
  options: IndexOptions & { readonly limit: number },
  io: Io,
): Promise<void> {
  const { docs } = await openDocuments(dir, options, io, options.limit);
  await using _ = docs;
  const { found, notSearched } = await interruptible((signal) => docs.search(query, { signal }));
  for (const document of found)
    io.stdout.write(options.json ? jsonLine(dataOfPassage(document)) : screenLines(document, io));
  if (options.json) return;
  const { tellNotSearched } = await import("../../../documents/not-searched.js");
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
