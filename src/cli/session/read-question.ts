import { isUtf8 } from "node:buffer";
import { fstatSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { addAbortSignal } from "node:stream";
import { codeOf } from "../../base/message-of.js";
import type { Io } from "../io.js";
import { UsageError } from "../program/exit-codes.js";
import { coloursFor } from "../screen/colours.js";
import { wrapped } from "../screen/wrapped.js";

/** The most bytes of a file, or of what is piped in. A model reads no more. */
const MOST_BYTES = 10_000_000;

/** The silence of a pipe after which a note says what is waited for. */
const SILENCE_MS = 3_000;
/** The silence after which a program that started this one counts as one that writes nothing. */
const SILENCE_OF_PROGRAM_MS = 1_000;

type Terminal = Pick<Io, "stdin" | "stderr" | "env">;

/**
 * Reads a question: its words, the text of a pipe, and files. A dash among the words stands for the text of the pipe. Else
 * that text follows the words, and the files follow it with their names.
 *
 * @throws UsageError if there is no question, or a text cannot be read.
 */
export async function readQuestion(words: readonly string[], files: readonly string[], io: Terminal): Promise<string> {
  if (words.length === 0 && io.stdin.isTTY) {
    throw new UsageError('Ask something, such as glassloop ask "What is 2 + 2?", or pipe a question in.');
  }
  const texts = await Promise.all(files.map(fileText));
  const isAwaited = words.length === 0 || words.includes("-");
  const piped = io.stdin.isTTY && !isAwaited ? "" : await pipedText(io, isAwaited);
  const asked = words.map((word) => (word === "-" ? piped : word)).join(" ");
  const below = words.includes("-") ? [] : [piped];
  const question = [asked, ...below, ...texts]
    .map((text) => text.trim())
    .filter((text) => text !== "")
    .join("\n\n");
  if (question === "") throw new UsageError('The question is empty. Ask something, such as "What is 2 + 2?".');
  return question;
}

async function fileText(path: string): Promise<string> {
  const refuse = (reason: string) => new UsageError(`--file: ${path} ${reason}`);
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw refuse("is a folder. Give a text file.");
    if (found.size > MOST_BYTES) throw refuse(tooLarge);
    const text = decoded(await readFile(path));
    if (text === undefined) throw refuse("is no text in UTF-8. Give a text file.");
    return `${path}:\n${text}`;
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") throw refuse("is not there. Give the path of a text file.");
    if (code === "EACCES") throw refuse("may not be read by you.");
    throw error;
  }
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
      if (size > MOST_BYTES) throw new UsageError(`What is piped in ${tooLarge}`);
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
const tooLarge = `has more than ${MOST_BYTES / 1_000_000} MB. Give a part of it.`;

/** Reads a text; undefined if the bytes are none. */
function decoded(bytes: Uint8Array): string | undefined {
  if (!isUtf8(bytes)) return undefined;
  const text = new TextDecoder().decode(bytes);
  return text.includes("\0") ? undefined : text;
}
