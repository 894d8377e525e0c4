import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll } from "vitest";
import { DocumentReader, type ReadingCaps } from "../../../src/documents/reading/document-reader.js";
import { documentFolder } from "../document-folder.js";
import { wordParts, zipOf } from "./made-files.js";

// Far more than the usual time, for a busy machine.
const timeoutMs = 600_000;

/** Starts a reader for the tests of a file. */
export function startReader() {
  const { folder } = documentFolder();
  const reader = new DocumentReader({ timeoutMs });
  afterAll(() => reader.close());

  function read(path: string, content: string | Buffer, by = reader, signal?: AbortSignal) {
    writeFileSync(join(folder, path), content);
    return by.readFile(folder, { path }, signal);
  }
  async function readWith(caps: ReadingCaps, path: string, content: string | Buffer) {
    const capped = new DocumentReader({ timeoutMs, ...caps });
    try {
      return await read(path, content, capped);
    } finally {
      await capped.close();
    }
  }
  return { folder, reader, read, readWith };
}

export const skipped = (why: string) => ({ kind: "skipped", why });
export const word = (body: string, options = {}) => zipOf(wordParts(body, options));
