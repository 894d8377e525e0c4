import { isUtf8 } from "node:buffer";
import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { HumanMessage } from "@langchain/core/messages";
import { codeOf } from "../../base/message-of.js";
import type { ContentBlock } from "../../content/content-block.js";
import { fileKinds, mostBytes } from "../../content/file-block.js";
import { questionText } from "../../core/state/turn-input.js";
import { UsageError } from "../program/exit-codes.js";

/** The most bytes of a text. A model reads no more. */
export const MOST_TEXT_BYTES = 10_000_000;

/** A question: its words with the names of its files, and the message with the files, if there are files. */
export interface Question {
  readonly asked: string;
  readonly message?: HumanMessage;
}

/**
 * Makes a question of words and files.
 *
 * @param from The sources of text from outside in the words.
 * @throws InvalidInputError if the files are too large together.
 */
export function questionOf(words: string, files: readonly ContentBlock[], from: readonly string[] = []): Question {
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
export async function readContent(path: string, label = ""): Promise<string | ContentBlock> {
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

export function tooLarge(most: number): string {
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
export function decoded(bytes: Uint8Array): string | undefined {
  if (!isUtf8(bytes)) return undefined;
  const text = new TextDecoder().decode(bytes);
  return text.includes("\0") ? undefined : text;
}
