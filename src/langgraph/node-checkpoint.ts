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

/**
 * Yields a checkpoint, and those before it that stand for the same step. `updateState` makes a new checkpoint of a step
 * that has not ended. An update of a checkpoint in the past begins its step anew.
 */
export async function* checkpointsOfStep(
  saver: BaseCheckpointSaver,
  tuple: CheckpointTuple,
): AsyncGenerator<CheckpointTuple> {
  yield tuple;
  if (tuple.metadata?.source !== "update") return;
  const { thread_id, checkpoint_ns } = tuple.config.configurable ?? {};
  for await (const before of saver.list(
    { configurable: { thread_id, checkpoint_ns } },
    { before: tuple.config, limit: 1 },
  )) {
    if (before.checkpoint.id === tuple.parentConfig?.configurable?.checkpoint_id)
      yield* checkpointsOfStep(saver, before);
  }
}
