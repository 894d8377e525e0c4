import { createHash } from "node:crypto";
import { z } from "zod";
import { ThreadExistsError, ThreadFileError } from "../../base/errors.js";
import { joinCheckpoint } from "../checkpoints/checkpoint-body.js";
import { contentOf, type WholeContent } from "../checkpoints/thread-content.js";
import { newThreadStatement } from "../checkpoints/thread-row.js";
import type { Database } from "../databases/database.js";
import { insertRows } from "../databases/insert-rows.js";
import { readThread } from "../lookup/thread-rows.js";
import { checkThreadId } from "../thread-id.js";
import { hashOf } from "../values/serialize.js";
import { itemStatements } from "../values/write-channels.js";
import { contentStatements } from "./copy-thread.js";
import { endSchema, FILE_FORMAT, headerSchema, partSchema, type ThreadPart } from "./thread-file.js";

/**
 * Reads an exported thread into a database: all of it or nothing.
 *
 * @param id A new id for the thread; its old id by default.
 * @returns The id of the thread.
 * @throws ThreadFileError, ThreadExistsError
 */
export async function importThread(
  database: Database,
  text: AsyncIterable<string> | Iterable<string>,
  id?: string,
): Promise<string> {
  const { header, parts } = await readFile(text);
  const thread = checkThreadId(id ?? header.thread.id);
  if ((await readThread(database, thread)) !== undefined) throw new ThreadExistsError(thread);
  const content = wholeContent(parts);
  const pins = ofType(parts, "pin").map(({ checkpoint }) => [thread, checkpoint]);
  const items = ofType(parts, "item").map(({ hash, as, content }) => ({ hash, type: as, content }));
  await database.batch([
    newThreadStatement(thread, header.thread),
    ...itemStatements(thread, items),
    ...contentStatements(thread, content),
    ...insertRows("glassloop_pins (thread, checkpoint)", pins),
  ]);
  return thread;
}

type Header = z.infer<typeof headerSchema>;

async function readFile(
  text: AsyncIterable<string> | Iterable<string>,
): Promise<{ header: Header; parts: ThreadPart[] }> {
  const sum = createHash("sha256");
  const parts: ThreadPart[] = [];
  let header: Header | undefined;
  let end: z.infer<typeof endSchema> | undefined;
  let number = 0;
  for await (const line of linesOf(text)) {
    number += 1;
    if (end !== undefined) throw new ThreadFileError("There is more after the last line of the thread.", number);
    const value = parseLine(line, number);
    end = endSchema.safeParse(value).data;
    if (end !== undefined) {
      if (header === undefined || end.lines !== number - 1 || end.sha256 !== sum.digest("hex")) throw changed();
      continue;
    }
    if (header === undefined) header = readHeader(value);
    else parts.push(readPart(value, number));
    sum.update(`${line}\n`);
  }
  if (header === undefined) throw new ThreadFileError("There is no thread in this file: it is empty.");
  if (end === undefined) throw new ThreadFileError("The end of the thread is missing: the file is cut off.");
  return { header, parts };
}

async function* linesOf(text: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of text) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

function parseLine(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new ThreadFileError("This is not JSON: the file is cut off, or no exported thread.", number, {
      cause: error,
    });
  }
}

const formatSchema = z.object({ type: z.literal("glassloop-thread"), format: z.number() });

function readHeader(value: unknown): Header {
  const format = formatSchema.safeParse(value).data?.format;
  if (format === undefined) {
    throw new ThreadFileError('This is not how an exported thread begins. "glassloop threads export" writes one.', 1);
  }
  if (format > FILE_FORMAT) {
    throw new ThreadFileError(
      `The thread is written in format ${format}, and this Glassloop reads formats up to ${FILE_FORMAT}. ` +
        "Import it with the version of Glassloop that wrote it, or a newer one.",
      1,
    );
  }
  return orFileError(() => headerSchema.parse(value), 1);
}

function readPart(value: unknown, number: number): ThreadPart {
  const part = orFileError(() => partSchema.parse(value), number);
  if (part.type === "item" && hashOf({ type: part.as, content: part.content }) !== part.hash) throw changed(number);
  return part;
}

/** Returns the rows of a thread. @throws ThreadFileError if a part that they need is missing. */
function wholeContent(parts: readonly ThreadPart[]): WholeContent {
  const items = new Map(ofType(parts, "item").map((item) => [item.hash, item.content]));
  const checkpoints = ofType(parts, "checkpoint").map(({ type: _, parent, ...row }) => ({
    ...row,
    parent,
    versions: orFileError(() => joinCheckpoint(items.get(row.shape) ?? "", row.body)),
  }));
  const versions = ofType(parts, "version").map(({ type: _, base, ...row }) => ({ ...row, base }));
  const writes = ofType(parts, "write");
  const journal = ofType(parts, "action").map(({ task, action, outcome }) => ({ task, action, outcome }));
  const content = orFileError(() => contentOf({ checkpoints, versions, writes, journal }, () => true));
  const keys = new Set(versions.map(({ namespace, channel, version }) => `${namespace}\0${channel}\0${version}`));
  const isWhole =
    checkpoints.length > 0 &&
    [...content.hashes].every((hash) => items.has(hash)) &&
    versions.every(
      ({ namespace, channel, base }) => base === undefined || keys.has(`${namespace}\0${channel}\0${base}`),
    );
  if (!isWhole) throw new ThreadFileError("A part of the thread is missing.");
  return content;
}

function ofType<Type extends ThreadPart["type"]>(
  parts: readonly ThreadPart[],
  type: Type,
): Extract<ThreadPart, { type: Type }>[] {
  return parts.filter((part): part is Extract<ThreadPart, { type: Type }> => part.type === type);
}

function changed(line?: number): ThreadFileError {
  return new ThreadFileError("The thread was changed after it was exported, or damaged.", line);
}

/** Runs an action on a part of the file. @throws ThreadFileError for any error, because the file is the cause. */
function orFileError<T>(action: () => T, line?: number): T {
  try {
    return action();
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error).replaceAll(/\s+/g, " ") : String(error);
    throw new ThreadFileError(`This is no part of an exported thread (${reason}).`, line, { cause: error });
  }
}
