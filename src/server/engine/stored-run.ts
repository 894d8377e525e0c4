import { z } from "zod";
import type { NewRun, RunRow } from "../../threads/runs/run-rows.js";
import { type Run, type RunOrder, runStatuses } from "./run-engine.js";

const recordSchema = z.record(z.string(), z.unknown());
const breakpointsSchema = z.union([z.literal("*"), z.array(z.string())]).optional();
const givenSchema = z.object({
  input: z.unknown().optional(),
  command: z.unknown().optional(),
  config: recordSchema.optional(),
  context: recordSchema.optional(),
  checkpoint: recordSchema.optional(),
  streamMode: z.array(z.string()),
  subgraphs: z.boolean(),
  interruptBefore: breakpointsSchema,
  interruptAfter: breakpointsSchema,
  durability: z.enum(["sync", "async", "exit"]).optional(),
});

/** Returns a run in the form in which the database keeps it. */
export function toRow({ metadata, given, temporary, ...order }: RunOrder): NewRun {
  return { ...order, metadata: JSON.stringify(metadata), given: JSON.stringify(given), isTemporary: temporary };
}

/** Reads a run from its row. */
export function toRun(row: RunRow): Run {
  const { id, thread, graph, owner, strategy, attempt, error, createdAt, updatedAt } = row;
  return {
    ...{ id, thread, graph, owner, strategy, attempt, createdAt, updatedAt },
    metadata: recordSchema.parse(JSON.parse(row.metadata)),
    given: givenSchema.parse(JSON.parse(row.given)),
    temporary: row.isTemporary,
    status: z.enum(runStatuses).parse(row.status),
    ...(error && { error }),
  };
}
