import { isUtf8 } from "node:buffer";
import { fstatSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { addAbortSignal } from "node:stream";
import { HumanMessage } from "@langchain/core/messages";
import { codeOf } from "../../base/message-of.js";
import type { ContentBlock } from "../../content/content-block.js";
import { fileKinds, mostBytes } from "../../content/file-block.js";
import { questionText } from "../../core/state/turn-input.js";
import type { Io } from "../io.js";
import { UsageError } from "../program/exit-codes.js";
import { coloursFor } from "../screen/colours.js";
import { wrapped } from "../screen/wrapped.js";

/** A question: its words with the names of its files, and the message with the files, if there are files. */
export interface Question {
  readonly asked: string;
  readonly message?: HumanMessage;
}

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

/** The most bytes of a text. A model reads no more. */
const MOST_TEXT_BYTES = 10_000_000;

/**
 * Makes a question of words and files.
 *
 * @param from The sources of text from outside in the words.
 * @throws InvalidInputError if the files are too large together.
 */
function questionOf(words: string, files: readonly ContentBlock[], from: readonly string[] = []): Question {
  if (files.length + from.length === 0) return { asked: words };
  const blocks = [...(words === "" ? [] : [{ type: "text", text: words }]), ...files];
  const outside = from.map((source) => ({ source }));
  const message = new HumanMessage({
    content: files.length === 0 ? words : blocks,
    ...(from.length > 0 && { response_metadata: { outside } }),
  });
  return { asked: questionText(message), message };
}

/** The first bytes of pictures, PDFs and recordings as Latin-1, and their media types. Names of files may be wrong. */
const beginnings: readonly (readonly [RegExp, mimeType: string])[] = [
  [/^\x89PNG/, "image/png"],
  [/^\xff\xd8\xff/, "image/jpeg"],
  [/^GIF8/, "image/gif"],
  [/^RIFF.{4}WEBP/s, "image/webp"],
  [/^%PDF-/, "application/pdf"],
  [/^RIFF.{4}WAVE/s, "audio/wav"],
  [/^(?:ID3|\xff[\xfa\xfb\xf2\xf3])/, "audio/mpeg"],
  [/^OggS/, "audio/ogg"],
  [/^fLaC/, "audio/flac"],
];
const neither =
  "is neither a text in UTF-8, nor a picture (PNG, JPEG, GIF, WebP), a recording (MP3, WAV, OGG, FLAC) or a PDF.";

/**
 * Reads a file for a question: a text, or a block with a picture, a recording or a PDF.
 *
 * @param label What stands before the path in errors, such as the option that has it.
 * @throws UsageError if the file is anything else, too large, or cannot be read.
 */
async function readContent(path: string, label = ""): Promise<string | ContentBlock> {
  const refuse = (reason: string) => new UsageError(`${label}${path} ${reason}`);
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw refuse("is a folder. Give a file.");
    if (found.size > mostBytes.file) throw refuse(tooLarge(mostBytes.file));
    const bytes = await readFile(path);
    const block = blockOf(bytes, basename(path));
    if (block !== undefined) return block;
    const text = decoded(bytes);
    if (text === undefined) throw refuse(neither);
    if (bytes.length > MOST_TEXT_BYTES) throw refuse(tooLarge(MOST_TEXT_BYTES));
    return text;
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") throw refuse("is not there. Give the path of a file.");
    if (code === "EACCES") throw refuse("may not be read by you.");
    throw error;
  }
}

function tooLarge(most: number): string {
  return `has more than ${most / 1_000_000} MB. Give a part of it.`;
}

function blockOf(bytes: Buffer, name: string): ContentBlock | undefined {
  const [, mimeType] = beginnings.find(([beginning]) => beginning.test(bytes.toString("latin1", 0, 16))) ?? [];
  // A text may begin like a recording.
  if (mimeType === undefined || (mimeType !== "application/pdf" && decoded(bytes) !== undefined)) return undefined;
  const type = fileKinds.find((kind) => mimeType.startsWith(`${kind}/`)) ?? "file";
  return { type, mimeType, data: bytes.toString("base64"), metadata: { name } };
}

/** Reads a text; undefined if the bytes are none. */
function decoded(bytes: Uint8Array): string | undefined {
  if (!isUtf8(bytes)) return undefined;
  const text = new TextDecoder().decode(bytes);
  return text.includes("\0") ? undefined : text;
}
