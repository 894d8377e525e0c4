import { z } from "zod";

/** The format of an exported thread. Raise it with every change that an older Glassloop cannot read. */
export const FILE_FORMAT = 1;

/** The first line of a thread's file. Its parts follow, one a line, and then {@link endSchema}. */
export const headerSchema = z.object({
  type: z.literal("glassloop-thread"),
  format: z.number().int().positive(),
  thread: z.object({
    id: z.string(),
    createdAt: z.string(),
    title: z.string().optional(),
    lastQuestion: z.string().optional(),
    turns: z.number().int().nonnegative(),
    graph: z.string().optional(),
    stateVersion: z.number().int().positive().optional(),
  }),
});

export const partSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("item"), hash: z.string(), as: z.string(), content: z.string() }),
  z.object({
    type: z.literal("checkpoint"),
    namespace: z.string(),
    id: z.string().min(1),
    parent: z.string().optional(),
    shape: z.string(),
    body: z.string(),
    metadata: z.string(),
  }),
  z.object({
    type: z.literal("version"),
    namespace: z.string(),
    channel: z.string(),
    version: z.number(),
    base: z.number().optional(),
    body: z.string(),
  }),
  z.object({
    type: z.literal("write"),
    namespace: z.string(),
    checkpoint: z.string(),
    task: z.string(),
    position: z.number().int(),
    body: z.string(),
  }),
  z.object({ type: z.literal("action"), task: z.string(), action: z.string(), outcome: z.string().optional() }),
  z.object({ type: z.literal("pin"), checkpoint: z.string() }),
]);
export type ThreadPart = z.infer<typeof partSchema>;

/** The last line: the number of lines before it, and their SHA-256 in hexadecimal digits. */
export const endSchema = z.object({ type: z.literal("end"), lines: z.number().int(), sha256: z.string() });
