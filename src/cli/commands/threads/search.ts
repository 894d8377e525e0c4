import { InvalidOptionError } from "../../../base/errors.js";
import type { SearchHit } from "../../../threads/lookup/search.js";
import type { Io } from "../../io.js";
import { databaseOption, readCount } from "../../program/agent-command.js";
import { type ExitCode, exitCodes, UsageError } from "../../program/exit-codes.js";
import { type End, programCommand } from "../../program/program-command.js";
import { coloursFor } from "../../screen/colours.js";
import { screenName, screenText } from "../../screen/screen-text.js";
import { openKeptThreads } from "../../session/open-kept-threads.js";

export function searchCommand(io: Io, end: End) {
  return programCommand("search", io)
    .description("Find questions and answers that contain all the words.")
    .argument("<words...>", "the words to search for")
    .addOption(databaseOption())
    .option("--limit <number>", "the most hits", readCount, 20)
    .option("--json", "print one JSON object per line for each question or answer")
    .action(async (words, options) => end(await searchInThreads(words, options, io)));
}

interface SearchOptions {
  readonly db?: string;
  readonly limit: number;
  readonly json?: boolean;
}

/** Prints the questions and answers that contain all the words. */
async function searchInThreads(
  words: readonly string[],
  { db, limit, json = false }: SearchOptions,
  io: Io,
): Promise<ExitCode> {
  await using threads = await openKeptThreads(db, io.env);
  const found = await threads.search(words.join(" "), { limit: limit + 1 }).catch(explainWords);
  for (const hit of found.slice(0, limit)) io.stdout.write(json ? jsonLine(hit) : screenLine(hit, io));
  if (found.length === 0 && !json) io.stderr.write("Nothing was found.\n");
  if (found.length > limit && !json) io.stderr.write("There is more: see --limit.\n");
  return exitCodes.answered;
}

/** Names the words as the usage of the command does. */
function explainWords(error: unknown): never {
  throw error instanceof InvalidOptionError ? new UsageError(`<words>: ${error.reason}`) : error;
}

function jsonLine({ thread, ...hit }: SearchHit): string {
  return `${JSON.stringify({ type: "hit", thread, ...hit })}\n`;
}

function screenLine({ thread, speaker, excerpt }: SearchHit, { stdout, env }: Io): string {
  const { bold, dim } = coloursFor(stdout, env);
  return `${bold(screenName(thread))}  ${dim(speaker.padEnd("question".length))}  ${screenText(excerpt)}\n`;
}
