import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { join } from "node:path";
import { workerProgram } from "../../base/worker-program.js";
import { isInside } from "../inside-folder.js";
import { type DocumentFormat, formatOf } from "./document-formats.js";
import { type ParsedDocument, parseDocument, type SkippedDocument, type UnreadDocument } from "./parsed-document.js";
import { textReaders } from "./plain-text.js";
import { type ReadingEnd, ReadingThread } from "./reading-thread.js";

/** How large files may be, and how long one may take. */
export interface ReadingCaps {
  /** The largest size of a file in bytes; 50,000,000 by default. */
  readonly maxBytes?: number;
  /** The largest number of characters of its text; 10,000,000 by default. */
  readonly maxCharacters?: number;
  /** The longest time for a file, in milliseconds; 20,000 by default. */
  readonly timeoutMs?: number;
}

/** The reason to skip a file that cannot be opened. */
export const unreadable = "it cannot be read";

/** The largest heap of the thread. */
const mostMegabytes = 512;
/** Texts of so many bytes take no time. They need no thread. */
const smallTextBytes = 500_000;

/**
 * Reads documents of a folder: Markdown, text, HTML, CSV, TSV, PDF and DOCX. All but small texts are read in a worker thread, one
 * after the other. It is started when it is needed, and does not keep the process alive.
 */
export class DocumentReader {
  readonly #caps: Required<ReadingCaps>;
  readonly #thread = new ReadingThread<UnreadDocument, ParsedDocument>(
    workerProgram(new URL("./document-worker.mjs", import.meta.url)),
    mostMegabytes,
  );

  constructor({ maxBytes = 50_000_000, maxCharacters = 10_000_000, timeoutMs = 20_000 }: ReadingCaps = {}) {
    this.#caps = { maxBytes, maxCharacters, timeoutMs };
  }

  /**
   * Reads a file. A link is followed, but not out of the folder.
   *
   * @param folder The real path of the folder.
   * @param path The path below the folder.
   * @returns Its text, or the reason why there is none.
   * @throws The reason of the signal, if it stops the reading.
   */
  async readFile(folder: string, { path }: { readonly path: string }, signal?: AbortSignal): Promise<ParsedDocument> {
    signal?.throwIfAborted();
    const { maxBytes, maxCharacters } = this.#caps;
    const place = await realpath(join(folder, path)).catch(() => "");
    if (!isInside(folder, place)) return skipped(unreadable);
    const bytes = await bytesOf(place, maxBytes).catch(() => skipped(unreadable));
    if ("why" in bytes) return bytes;
    const format = formatOf(path, bytes);
    if (typeof format === "object") return skipped(format.why);
    if (isText(format) && bytes.length <= smallTextBytes) {
      for await (const parsed of parseDocument(textReaders, { format, bytes, maxCharacters })) return parsed;
    }
    const unread = { format, bytes, maxCharacters };
    const { best, end } = await this.#thread.read(unread, this.#caps.timeoutMs, signal, [bytes.buffer]);
    signal?.throwIfAborted();
    return best ?? skipped(this.#whyNot(end));
  }

  /** Ends the thread. A file that is being read is skipped then. */
  close(): Promise<void> {
    return this.#thread.close();
  }

  #whyNot(end: ReadingEnd): string {
    if (end === "late") return `it takes more than ${this.#caps.timeoutMs / 1000} s to read`;
    return end === "memory" ? "it takes too much memory to read" : "it is damaged, or its parts are too large";
  }
}

function isText(format: DocumentFormat): format is keyof typeof textReaders {
  return format in textReaders;
}

function skipped(why: string): SkippedDocument {
  return { kind: "skipped", why };
}

async function bytesOf(path: string, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | SkippedDocument> {
  await using file = await open(path, onlyFiles);
  const found = await file.stat();
  if (!found.isFile()) return skipped(unreadable);
  if (found.size > maxBytes) return skipped(`it has more than ${maxBytes.toLocaleString("en")} bytes`);
  if (found.size === 0) return skipped("it is empty");
  const bytes = new Uint8Array(found.size);
  const { bytesRead } = await file.read(bytes);
  return bytes.subarray(0, bytesRead);
}

/** A link that was put in the place of the file is not opened, and a pipe is not waited for. */
const onlyFiles = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
