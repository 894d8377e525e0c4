import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { BaseCheckpointSaver, CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { CHECKPOINTER_KEY } from "./names.js";

/** The checkpoint at which a node runs, and the saver that keeps it. */
export interface NodeCheckpoint {
  readonly saver: BaseCheckpointSaver;
  readonly id: string;
  /** The config of the checkpoint. It has all that the saver finds in the configs of the run. */
  readonly config: { readonly configurable: Readonly<Record<string, unknown>> };
}

/** Finds the checkpoint at which a node runs; undefined if no checkpointer keeps the run. */
export function checkpointOfNode({
  configurable = {},
  executionInfo,
}: LangGraphRunnableConfig): NodeCheckpoint | undefined {
  const saver: BaseCheckpointSaver | undefined = configurable[CHECKPOINTER_KEY];
  const id = executionInfo?.checkpointId;
  if (saver === undefined || id === undefined) return undefined;
  // The namespace of a node is that of its graph with one part more.
  const namespace = String(configurable.checkpoint_ns).split("|").slice(0, -1).join("|");
  return { saver, id, config: { configurable: { ...configurable, checkpoint_ns: namespace, checkpoint_id: id } } };
}

/** Reads a checkpoint and its ancestors, the nearest first. */
export async function* lineOf(saver: BaseCheckpointSaver, from: CheckpointTuple): AsyncGenerator<CheckpointTuple> {
  let tuple: CheckpointTuple | undefined = from;
  while (tuple !== undefined) {
    yield tuple;
    tuple = tuple.parentConfig && (await saver.getTuple(tuple.parentConfig));
  }
}
