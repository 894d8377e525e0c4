import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { pendingNodes } from "../../threads/checkpoints/pending-nodes.js";

/** Returns the nodes that would run next from a checkpoint. */
export function nextNodes({ checkpoint }: Pick<CheckpointTuple, "checkpoint">): string[] {
  return pendingNodes(checkpoint, (channel) => channel in checkpoint.channel_values);
}
