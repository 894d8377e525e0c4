import { z } from "zod";
import { inOneLine, shorten } from "../../base/shorten.js";

/** The format of an exported thread. Raise it with every change that an older Glassloop cannot read. */
export const FILE_FORMAT = 2;

/** The most that a file may hold. A thread of ten thousand turns stays far below. */
export const LIMITS = {
  /** The characters of a line. */
  line: 100_000_000,
  /** The characters of all lines. */
  file: 1_000_000_000,
  lines: 2_000_000,
};

const LONGEST_NAME = 2000;
const LONGEST_QUESTION = 200;

// Postgres keeps no NUL. JSON has another way to write one.
const text = z.string().regex(/^[^\0]*$/, "There is a NUL in it.");
const name = text.max(LONGEST_NAME);
const hash = z.string().regex(/^[\w-]{22}$/);
/** A question as lists show it: short, and in one line. */
const shownQuestion = text.transform((question) => shorten(inOneLine(question), LONGEST_QUESTION));

const LONGEST_SETTING = 1_000_000;
const MOST_SETTINGS = 100;
const settingsSchema = z
  .record(name, text.max(LONGEST_SETTING))
  .refine((values) => Object.keys(values).length <= MOST_SETTINGS, "There are too many settings.");

/** The first line of a thread's file. Its parts follow, one a line, and then {@link endSchema}. */
export const headerSchema = z.object({
  type: z.literal("glassloop-thread"),
  format: z.number().int().positive(),
  thread: z.object({
    id: z.string(),
    createdAt: z.iso.datetime(),
    title: shownQuestion.optional(),
    lastQuestion: shownQuestion.optional(),
    turns: z.int32().nonnegative(),
    graph: name.optional(),
    stateVersion: z.int32().positive().optional(),
    settings: settingsSchema.optional(),
  }),
});

export const partSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("item"), hash, as: z.enum(["json", "bytes"]), content: text }),
  z.object({
    type: z.literal("checkpoint"),
    namespace: name,
    id: name.min(1),
    parent: name.optional(),
    shape: hash,
    body: text,
    metadata: text,
  }),
  z.object({
    type: z.literal("version"),
    namespace: name,
    channel: name,
    version: z.number(),
    base: z.number().optional(),
    body: text,
  }),
  z.object({
    type: z.literal("write"),
    namespace: name,
    checkpoint: name,
    task: name,
    position: z.int32(),
    body: text,
  }),
  z.object({ type: z.literal("action"), task: name, action: name, outcome: text.optional() }),
  z.object({ type: z.literal("pin"), checkpoint: name }),
]);
export type ThreadPart = z.infer<typeof partSchema>;

/** The last line: the number of lines before it, and their SHA-256 in hexadecimal digits. */
export const endSchema = z.object({ type: z.literal("end"), lines: z.number().int(), sha256: z.string() });
