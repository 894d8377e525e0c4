import { type CheckpointTuple, ERROR, INTERRUPT, RESUME } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { pendingNodes } from "../../threads/checkpoints/pending-nodes.js";

/** The newest end of a thread whose last turn has not ended. */
export interface UnfinishedThread {
  readonly values: Readonly<Record<string, unknown>>;
  /** The nodes that would run next. */
  readonly next: readonly string[];
  /** The message of the error with which a node failed, if one did. */
  readonly failure?: string;
  /** True if a tool asked for a decision, and nobody has given one. */
  readonly waits: boolean;
}

/**
 * A function that repairs a thread before it gets a new question. It returns an update of the state, and the node that
 * counts as its writer. It returns undefined if the thread needs no repair.
 */
export type Repair = (
  thread: UnfinishedThread,
) => { readonly values: Record<string, unknown>; readonly asNode: string } | undefined;

/** Reads the reasons for the end of a thread's last run. LangGraph keeps them beside the checkpoint. */
export function readUnfinished(tuple: CheckpointTuple): UnfinishedThread {
  const writes = tuple.pendingWrites ?? [];
  const has = (name: string) => writes.some(([, channel]) => channel === name);
  const failure = failureSchema.safeParse(writes.findLast(([, channel]) => channel === ERROR)?.[2]).data;
  return {
    values: tuple.checkpoint.channel_values,
    next: nextNodes(tuple),
    waits: has(INTERRUPT) && !has(RESUME),
    ...(failure && { failure: failure.message || failure.name }),
  };
}

const failureSchema = z.object({ message: z.string().default(""), name: z.string().default("Error") });

/** Returns the nodes that would run next from a checkpoint. */
export function nextNodes({ checkpoint }: CheckpointTuple): string[] {
  return pendingNodes(checkpoint, (channel) => channel in checkpoint.channel_values);
}
