import type { CheckpointMetadata, CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { ThreadError } from "../../base/errors.js";
import type { GraphIdentity } from "../../core/run/keeper.js";

/** The part of a checkpoint's metadata that names the graph and the version of its state. */
const stampSchema = z.object({ graph: z.string(), state_version: z.number().int() });

/** Notes in the metadata of a checkpoint which graph wrote it. */
export function stamped(metadata: CheckpointMetadata, { name, stateVersion }: GraphIdentity): CheckpointMetadata {
  const stamp: z.infer<typeof stampSchema> = { graph: name, state_version: stateVersion };
  return { ...metadata, ...stamp };
}

/**
 * Checks whose state a checkpoint holds. The first migration of a state, from version 1 to 2, would come here.
 *
 * @throws ThreadError "foreign-thread", "newer-thread"
 */
export function checkStamp({ config, metadata }: CheckpointTuple, { name, stateVersion }: GraphIdentity): void {
  const thread = String(config.configurable?.thread_id);
  const stamp = stampSchema.safeParse(metadata).data;
  if (stamp?.graph !== name) throw new ThreadError("foreign-thread", thread, whyForeign(stamp?.graph, name));
  if (stamp.state_version > stateVersion) {
    throw new ThreadError(
      "newer-thread",
      thread,
      `${stamp.state_version}, and this Glassloop knows versions up to ${stateVersion}`,
    );
  }
}

/** @param owner The graph that the thread belongs to; undefined if its checkpoints do not name it. */
function whyForeign(owner: string | undefined, graph: string): string {
  if (owner === undefined) return "has the state of a graph that is not a Glassloop agent. Use another thread id.";
  const other = `Open it with createAgent({ name: "${owner}" }), or use another thread id.`;
  return `belongs to the graph "${owner}", and this agent is "${graph}". ${other}`;
}
