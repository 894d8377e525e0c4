import { createHash } from "node:crypto";
import { z } from "zod";
import { ThreadFileError } from "../../base/errors.js";
import { hashOf } from "../values/serialize.js";
import { endSchema, FILE_FORMAT, headerSchema, LIMITS, partSchema, type ThreadPart } from "./thread-file.js";

type Header = z.infer<typeof headerSchema>;

/**
 * Reads the lines of a file, and checks each of them. Stops at the first line that is wrong or too long.
 *
 * @throws ThreadFileError
 */
export async function readThreadFile(
  text: AsyncIterable<string> | Iterable<string>,
  limits = LIMITS,
): Promise<{ header: Header; parts: ThreadPart[] }> {
  const sum = createHash("sha256");
  const parts: ThreadPart[] = [];
  let header: Header | undefined;
  let end: z.infer<typeof endSchema> | undefined;
  let number = 0;
  for await (const line of linesOf(text, limits)) {
    number += 1;
    if (number > limits.lines || line.length > limits.line) throw tooLarge(limits);
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

async function* linesOf(text: AsyncIterable<string> | Iterable<string>, limits: typeof LIMITS): AsyncGenerator<string> {
  let rest = "";
  let size = 0;
  for await (const piece of text) {
    size += piece.length;
    const [first = "", ...lines] = piece.split("\n");
    lines.unshift(rest + first);
    rest = lines.pop() ?? "";
    if (size > limits.file || rest.length > limits.line) throw tooLarge(limits);
    yield* lines;
  }
  if (rest !== "") yield rest;
}

function tooLarge({ lines, file, line }: typeof LIMITS): ThreadFileError {
  return new ThreadFileError(
    `The file is too large. At most ${file} characters are possible, in ${lines} lines of at most ${line} each.`,
  );
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

function changed(line?: number): ThreadFileError {
  return new ThreadFileError("The thread was changed after it was exported, or damaged.", line);
}

/** Runs an action on a part of the file. @throws ThreadFileError for any error, because the file is the cause. */
export function orFileError<T>(action: () => T, line?: number): T {
  try {
    return action();
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error).replaceAll(/\s+/g, " ") : String(error);
    throw new ThreadFileError(`This is no part of an exported thread (${reason}).`, line, { cause: error });
  }
}
