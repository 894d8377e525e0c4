import { type CheckpointPendingWrite, RESUME } from "@langchain/langgraph-checkpoint";
import { z } from "zod";

/**
 * Finds the answers that a run was given, but did not use before it was killed. LangGraph keeps an answer that names its
 * question, but shows it only to the run that brought it. Only the questions of an agent's own step count, because no two
 * of them have the same id.
 *
 * @returns The answers, by the ids of their questions.
 */
export function unusedAnswers(writes: readonly CheckpointPendingWrite[]): Map<string, unknown> {
  const values = writes.flatMap(([task, channel, value]) =>
    channel === RESUME && Array.isArray(value) ? [{ task, last: value.at(-1) }] : [],
  );
  const asked = new Set(values.flatMap(({ last }) => askedSchema.safeParse(last).data?.asked.id ?? []));
  return new Map(values.flatMap(({ task, last }) => (asked.has(task) ? [[task, last]] : [])));
}

/** The part of the notes of an agent's step that names its question. */
const askedSchema = z.object({ asked: z.object({ id: z.string(), isNested: z.literal(false) }) });
