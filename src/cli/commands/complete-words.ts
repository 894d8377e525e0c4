import type { CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import type { Database } from "../../threads/databases/database.js";
import { openDatabase } from "../../threads/databases/open-database.js";
import { readCheckpointsFrom, readIdsFrom } from "../../threads/lookup/ids.js";
import type { Io } from "../io.js";
import { databaseUrl } from "../program/addresses.js";
import { databaseIn } from "../program/run-program.js";
import { shellWords } from "../screen/shell-words.js";
import { isStillToMake } from "../session/open-kept-threads.js";

/** The place after some words of a command line. */
interface Place {
  readonly command: CommandUnknownOpts;
  /** The arguments of the command so far. */
  readonly operands: readonly string[];
  /** The option whose value comes next. */
  readonly option: Option | undefined;
}

/**
 * Finds what the last of some words can become.
 *
 * @param words The words that were typed after the program's name, as a shell cuts them.
 * @param isBash True writes them for bash, which takes only what follows a colon or an equals sign, with its quotes.
 */
export async function completeWords(
  program: CommandUnknownOpts,
  words: readonly string[],
  io: Io,
  isBash: boolean,
): Promise<string[]> {
  const typed = joinedWords(words);
  const [last = "", ...before] = typed.map(withoutQuotes).reverse();
  const possible = await possibleAt(placeAfter(program, before.reverse()), last, before, io);
  // A shell would take an id of two lines for two words, and the second one could be a command.
  const found = possible.filter((word) => word.startsWith(last) && !/\p{Cc}/u.test(word));
  if (!isBash || /^["']/.test(typed.at(-1) ?? "")) return found;
  const [cutOff = ""] = /^.*[:=]/.exec(last) ?? [];
  return found.map((word) => shellWords([word.slice(cutOff.length)]));
}

/** Joins the words that bash cuts at a colon and at an equals sign. */
function joinedWords(words: readonly string[]): string[] {
  return words
    .join("\0")
    .replaceAll(/\0([:=]+)(?:\0|$)/g, "$1")
    .split("\0");
}

function withoutQuotes(word: string): string {
  return word.replaceAll(/\\(.)|["']/g, "$1");
}

function placeAfter(program: CommandUnknownOpts, words: readonly string[]): Place {
  let place: Place = { command: program, operands: [], option: undefined };
  for (const word of words) place = placeAfterWord(place, word);
  return place;
}

function placeAfterWord({ command, operands, option }: Place, word: string): Place {
  if (option !== undefined) return { command, operands, option: undefined };
  if (word.startsWith("-")) {
    return {
      command,
      operands,
      option: command.options.find((known) => known.required && [known.short, known.long].includes(word)),
    };
  }
  const inner = command.commands.find((known) => known.name() === word || known.aliases().includes(word));
  return inner ? { command: inner, operands, option } : { command, operands: [...operands, word], option };
}

async function possibleAt(
  { command, operands, option }: Place,
  last: string,
  words: readonly string[],
  io: Io,
): Promise<readonly string[]> {
  const help = command.createHelp();
  if (option === undefined && last.startsWith("-")) {
    return help.visibleOptions(command).flatMap(({ long, short }) => long ?? short ?? []);
  }
  const next = option ?? command.registeredArguments[operands.length];
  if (next === undefined) return operands.length > 0 ? [] : help.visibleCommands(command).map((inner) => inner.name());
  if (next.argChoices !== undefined) return next.argChoices;
  const read = idReaders[option?.long ?? next.name()];
  const url = databaseUrl(databaseIn(words), io.env);
  if (read === undefined || isStillToMake(url)) return [];
  // The threads themselves would take longer to load than a person waits for a completion.
  const database = await openDatabase(url, limits);
  return await read(database, last, operands[0] ?? "").finally(() => database.close());
}

/** The most ids that a shell is shown. */
const MOST = 100;
const limits = { connectTimeoutMs: 1_000, lockTimeoutMs: 1_000, queryTimeoutMs: 1_000 };

type IdReader = (database: Database, beginning: string, thread: string) => Promise<readonly string[]>;

/** The readers of ids, by the arguments and options that take them. */
const idReaders: Readonly<Record<string, IdReader>> = {
  id: (database, beginning) => readIdsFrom(database, beginning, MOST),
  "--thread": (database, beginning) => readIdsFrom(database, beginning, MOST),
  checkpoint: async (database, beginning, typed) => {
    const [thread = ""] = await readIdsFrom(database, typed, 1);
    return readCheckpointsFrom(database, thread, beginning, MOST);
  },
};
