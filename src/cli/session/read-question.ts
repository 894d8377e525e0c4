import { fstatSync } from "node:fs";
import { addAbortSignal } from "node:stream";
import type { Io } from "../io.js";
import { UsageError } from "../program/exit-codes.js";
import { coloursFor } from "../screen/colours.js";
import { wrapped } from "../screen/wrapped.js";
import { decoded, MOST_TEXT_BYTES, type Question, questionOf, readContent, tooLarge } from "./question-files.js";

/** The silence of a pipe after which a note says what is waited for. */
const SILENCE_MS = 3_000;
/** The silence after which a program that started this one counts as one that writes nothing. */
const SILENCE_OF_PROGRAM_MS = 1_000;

type Terminal = Pick<Io, "stdin" | "stderr" | "env">;

/**
 * Reads a question: its words, the text of a pipe, and files. A dash among the words stands for the text of the pipe. Else
 * that text follows the words. Files that are texts follow it with their names. Other files are blocks beside the text.
 *
 * @throws UsageError if there is no question, or a file cannot be read. Throws the errors of `questionOf`, too.
 */
export async function readQuestion(
  words: readonly string[],
  files: readonly string[],
  io: Terminal,
): Promise<Question> {
  if (words.length === 0 && io.stdin.isTTY) {
    throw new UsageError('Ask something, such as glassloop ask "What is 2 + 2?", or pipe a question in.');
  }
  const contents = await Promise.all(
    files.map(async (path) => ({ path, content: await readContent(path, "--file: ") })),
  );
  const textFiles = contents.filter(({ content }) => typeof content === "string");
  const texts = textFiles.map(({ path, content }) => `${path}:\n${content}`);
  const blocks = contents.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  const isAwaited = words.length === 0 || words.includes("-");
  const piped = io.stdin.isTTY && !isAwaited ? "" : await pipedText(io, isAwaited);
  const asked = words.map((word) => (word === "-" ? piped : word)).join(" ");
  const below = words.includes("-") ? [] : [piped];
  const question = [asked, ...below, ...texts]
    .map((text) => text.trim())
    .filter((text) => text !== "")
    .join("\n\n");
  if (question === "" && blocks.length === 0)
    throw new UsageError('The question is empty. Ask something, such as "What is 2 + 2?".');
  const isBesideWords = piped.trim() !== "" && words.some((word) => word !== "-");
  const from = [...(isBesideWords ? ["a pipe"] : []), ...textFiles.map(({ path }) => path)];
  return questionOf(question, blocks, from);
}

/**
 * Reads what is piped in. A shell ends its pipes. A program that starts this one may leave a socket open, and never write:
 * then the silence ends it.
 */
async function pipedText({ stdin, stderr, env }: Terminal, isAwaited: boolean): Promise<string> {
  // After an fstat of a pipe without `bigint`, Node.js 20 follows no link, such as pnpm's, to what is imported next.
  const isLeftOpen = !isAwaited && stdin.fd !== undefined && fstatSync(stdin.fd, { bigint: true }).isSocket();
  const silent = new AbortController();
  const timer = setTimeout(
    () => {
      if (isLeftOpen) silent.abort();
      else stderr.write(`${coloursFor(stderr, env).dim(wrapped(waiting, stderr))}\n`);
    },
    isLeftOpen ? SILENCE_OF_PROGRAM_MS : SILENCE_MS,
  );
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of addAbortSignal(silent.signal, stdin)) {
      clearTimeout(timer);
      const bytes = Buffer.from(piece);
      size += bytes.length;
      if (size > MOST_TEXT_BYTES) throw new UsageError(`What is piped in ${tooLarge(MOST_TEXT_BYTES)}`);
      pieces.push(bytes);
    }
  } catch (error) {
    if (!silent.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
  const text = decoded(Buffer.concat(pieces));
  if (text === undefined) throw new UsageError("What is piped in is no text in UTF-8. Pipe a text in.");
  return text;
}

const waiting = "Reading stdin to its end. If nothing comes, end it with Ctrl-D, or add </dev/null to the command.";
