import {
  type CheckpointPendingWrite,
  type CheckpointTuple,
  ERROR,
  INTERRUPT,
  RESUME,
} from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { nextNodes } from "../../langgraph/pending-nodes.js";
import { stoppedRun, valuesLeft } from "./stopped-run.js";

/** The newest end of a thread whose last turn has not ended. */
export interface UnfinishedThread {
  readonly values: Readonly<Record<string, unknown>>;
  /** The nodes that would run next. */
  readonly next: readonly string[];
  /** The message of the error with which a node failed, if one did. */
  readonly failure?: string;
  /** What was shown of the answer, if the caller cancelled the turn. */
  readonly cancelled?: string;
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
  const failure = failureSchema.safeParse(writes.findLast(([, channel]) => channel === ERROR)?.[2]).data;
  const stopped = stoppedRun(writes);
  const values = tuple.checkpoint.channel_values;
  return {
    values: stopped ? valuesLeft(values, stopped) : values,
    next: nextNodes(tuple),
    waits: waits(writes),
    ...(stopped?.isCancelled && { cancelled: stopped.shown }),
    ...(failure && { failure: failure.message || failure.name }),
  };
}

/** Tells whether a question waits. An answer may already be at work. */
function waits(writes: readonly CheckpointPendingWrite[]): boolean {
  const channels = writes.map(([, channel]) => channel);
  return channels.includes(INTERRUPT) && !channels.includes(RESUME);
}

const failureSchema = z.object({ message: z.string().default(""), name: z.string().default("Error") });
