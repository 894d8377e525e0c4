import { isDeepStrictEqual } from "node:util";
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
 * Yields a checkpoint and its ancestors, as long as each was the newest checkpoint when its child was made. Ends at a fork
 * and at an update of an older checkpoint, because steps after those are made anew.
 */
export async function* unforkedLine(
  saver: BaseCheckpointSaver,
  newest: CheckpointTuple,
): AsyncGenerator<CheckpointTuple> {
  for (let tuple: CheckpointTuple | undefined = newest; tuple; tuple = await unforkedParent(saver, tuple)) yield tuple;
}

async function unforkedParent(
  saver: BaseCheckpointSaver,
  { metadata, checkpoint, config, parentConfig }: CheckpointTuple,
) {
  const { thread_id, checkpoint_ns } = config.configurable ?? {};
  const ofGraph = { configurable: { thread_id, checkpoint_ns } };
  const parent: unknown = parentConfig?.configurable?.checkpoint_id;
  for await (const before of saver.list(ofGraph, { before: config, limit: 1 })) {
    // `updateState` as "__copy__" writes a copy beside the checkpoint, with the same parent.
    const isCopied =
      before.parentConfig?.configurable?.checkpoint_id === parent &&
      isDeepStrictEqual(before.checkpoint.channel_versions, checkpoint.channel_versions);
    if (metadata?.source === "fork" ? isCopied : before.checkpoint.id === parent) return before;
  }
  return undefined;
}
