import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { nextNodes } from "../../langgraph/pending-nodes.js";
import { failureIn, waitsForAnswer } from "../../langgraph/pending-writes.js";
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
  const failure = failureIn(writes);
  const stopped = stoppedRun(writes);
  const values = tuple.checkpoint.channel_values;
  return {
    values: stopped ? valuesLeft(values, stopped) : values,
    next: nextNodes(tuple),
    waits: waitsForAnswer(writes),
    ...(stopped?.isCancelled && { cancelled: stopped.shown }),
    ...(failure && { failure }),
  };
}
