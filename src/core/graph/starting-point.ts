import type { BaseCheckpointSaver, CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { INPUT_CHANNEL } from "../../langgraph/names.js";
import { nextNodes } from "../../langgraph/pending-nodes.js";
import { readingNodes, replyNodes } from "./node-names.js";

/** Tells whether a checkpoint is the newest one of its thread. */
export async function isNewest(checkpointer: BaseCheckpointSaver, { config, checkpoint }: CheckpointTuple) {
  const newest = await checkpointer.getTuple({ configurable: { ...config.configurable, checkpoint_id: undefined } });
  return newest?.checkpoint.id === checkpoint.id;
}

/**
 * Finds the checkpoint from which a new question goes on, if it is sent to an old checkpoint. LangGraph's clients edit
 * a question in this way. An old checkpoint in the middle of a turn stands for the beginning of that turn. The new
 * question takes the place of the old one.
 *
 * @returns The checkpoint itself if it is not in the middle of a turn, or the beginning was pruned.
 */
export async function beginningOfTurn(checkpointer: BaseCheckpointSaver, from: CheckpointTuple) {
  for await (const tuple of lineOf(checkpointer, from)) {
    const next = nextNodes(tuple);
    // LangGraph drops the input that waits at the beginning of a turn when another one comes.
    if (next.length === 0 || next.includes(INPUT_CHANNEL)) return tuple;
  }
  return from;
}

/**
 * Finds the checkpoint from which the model is asked again, if a run starts from a checkpoint before `parse`. Chat
 * clients refresh an answer from there: it is the last checkpoint without the answer. It holds the old reply already.
 *
 * @returns The checkpoint itself if another node is next, or a person changed the state there.
 */
export async function beforeReply(checkpointer: BaseCheckpointSaver, from: CheckpointTuple) {
  for await (const tuple of lineOf(checkpointer, from)) {
    const next = nextNodes(tuple);
    if (next.some((node) => replyNodes.has(node))) return tuple;
    if (!next.some((node) => readingNodes.has(node)) || tuple.metadata?.source === "update") break;
  }
  return from;
}

/** Reads a checkpoint and its ancestors, the nearest first. */
async function* lineOf(checkpointer: BaseCheckpointSaver, from: CheckpointTuple): AsyncGenerator<CheckpointTuple> {
  let tuple: CheckpointTuple | undefined = from;
  while (tuple !== undefined) {
    yield tuple;
    tuple = tuple.parentConfig && (await checkpointer.getTuple(tuple.parentConfig));
  }
}
