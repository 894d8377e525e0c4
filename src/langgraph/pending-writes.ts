import {
  type CheckpointPendingWrite,
  ERROR,
  INTERRUPT,
  type PendingWrite,
  RESUME,
} from "@langchain/langgraph-checkpoint";
import { z } from "zod";

// What LangGraph notes beside a checkpoint of tasks that are not done, as in @langchain/langgraph 1.5.3 to 1.7.3.

type Writes = readonly CheckpointPendingWrite[];

const failureSchema = z.object({ message: z.string().default(""), name: z.string().default("Error") });

/** Returns the message of the error with which a node failed; undefined if none did. */
export function failureIn(writes: Writes): string | undefined {
  const failure = failureSchema.safeParse(writes.findLast(([, channel]) => channel === ERROR)?.[2]).data;
  return failure && (failure.message || failure.name);
}

/**
 * Tells whether a question is pending. LangGraph stores a new answer under another task id than that of the asking task.
 * Answers among the writes of the asking task itself are those to its earlier questions.
 */
export function waitsForAnswer(writes: Writes): boolean {
  const asking = new Set(writes.flatMap(([task, channel]) => (channel === INTERRUPT ? [task] : [])));
  return asking.size > 0 && !writes.some(([task, channel]) => channel === RESUME && !asking.has(task));
}

/** Tells whether what a task writes is the answer of a person. */
export function isAnswer(writes: readonly PendingWrite[]): boolean {
  return writes.some(([channel]) => channel === RESUME);
}

/** Returns the answers that name their question, by its id. */
export function answersIn(writes: Writes): Map<string, unknown> {
  const lists = writes.flatMap(([id, channel, value]) =>
    channel === RESUME && Array.isArray(value) ? [[id, value.at(-1)] as const] : [],
  );
  return new Map(lists);
}

const questionSchema = z.object({ id: z.string(), value: z.unknown() });
// Older releases of LangGraph write one question, and newer ones a list of them.
const questionsSchema = z.union([z.array(questionSchema), questionSchema.transform((one) => [one])]).catch([]);

/** Returns the questions of the tasks that are not done. */
export function askedIn(writes: Writes): z.infer<typeof questionSchema>[] {
  const done = new Set(writes.flatMap(([task, channel]) => (ownChannels.has(channel) ? [] : [task])));
  return writes.flatMap(([task, channel, value]) =>
    channel === INTERRUPT && !done.has(task) ? questionsSchema.parse(value) : [],
  );
}

/** Tells whether a task asked something, also if it is done since. */
export function hasAsked(writes: Writes): boolean {
  return writes.some(([, channel]) => channel === INTERRUPT);
}

/** The channels in which LangGraph notes why a task is not done. */
const ownChannels = new Set([ERROR, INTERRUPT, RESUME]);
