import { z } from "zod";
import type { NewRun, RunRow } from "../../threads/runs/index.js";
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
/** Who wants a run stands in one row with what they gave. */
const storedSchema = z.object({ by: z.string().optional(), onlyAsks: z.boolean().optional() });

/** Returns a run in the form in which the database keeps it. */
export function toRow({ metadata, given, temporary, by, onlyAsks, ...order }: RunOrder): NewRun {
  const stored = JSON.stringify({ ...given, by, onlyAsks });
  return { ...order, metadata: JSON.stringify(metadata), given: stored, isTemporary: temporary };
}

/** Reads a run from its row. */
export function toRun(row: RunRow): Run {
  const { number, id, thread, graph, owner, strategy, attempt, error, createdAt, updatedAt } = row;
  const stored: unknown = JSON.parse(row.given);
  return {
    ...storedSchema.parse(stored),
    ...{ number, id, thread, graph, owner, strategy, attempt, createdAt, updatedAt },
    metadata: recordSchema.parse(JSON.parse(row.metadata)),
    given: givenSchema.parse(stored),
    temporary: row.isTemporary,
    status: z.enum(runStatuses).parse(row.status),
    ...(error && { error }),
  };
}
