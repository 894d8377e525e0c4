import { holdsCalls } from "../../core/run/ledger.js";
import type { CheckpointRow, ThreadContent } from "../checkpoints/thread-content.js";
import { CheckpointTree, noteOf } from "../lookup/checkpoint-tree.js";

/** The rules for which checkpoints of a thread to keep. */
export interface RetentionPolicy {
  /** The number of last turns whose checkpoints are kept. */
  readonly keepTurns?: number | undefined;
  /** The time from which checkpoints are kept. */
  readonly keepSince?: Date | undefined;
  /**
   * True to delete branches that the thread left, such as a regenerated answer. By default their last checkpoint is
   * kept.
   */
  readonly dropBranches?: boolean | undefined;
}

/**
 * Finds the checkpoints to keep: those of the policy, and the newest one. Of every branch, it keeps the last checkpoint and
 * the one at which it left the others. A step that a person changed with `updateState` keeps the record of its calls.
 *
 * @returns A function that tells whether to keep a checkpoint of this thread.
 */
export function kept(
  { checkpoints, writes }: Pick<ThreadContent, "checkpoints" | "writes">,
  policy: RetentionPolicy,
): (checkpoint: CheckpointRow) => boolean {
  const tree = new CheckpointTree(checkpoints);
  const ids = new Set([
    ...lastTurns(tree, policy.keepTurns ?? 0),
    ...(policy.keepSince === undefined ? [] : writtenSince(checkpoints, policy.keepSince)),
    ...(policy.dropBranches ? [] : branchEnds(tree)),
  ]);
  if (tree.newest !== undefined) ids.add(tree.newest.id);
  const recorded = new Set(writes.flatMap(({ checkpoint, body }) => (holdsCalls(body) ? [checkpoint] : [])));
  for (const tip of tree.tips.filter(({ id }) => ids.has(id))) {
    for (const checkpoint of tree.pathFrom(tip.id)) {
      const { parent = "" } = checkpoint;
      const isUpdate = noteOf(checkpoint).source === "update";
      if (isUpdate && recorded.has(parent)) ids.add(parent);
      // One more step at the end may have read the same reply again.
      if (!isUpdate && checkpoint !== tip) break;
    }
  }
  const newestOf = new Map(checkpoints.map(({ namespace, id }) => [namespace, id]));
  return (checkpoint) => {
    if (checkpoint.namespace === "") return ids.has(checkpoint.id);
    // A subgraph's checkpoint belongs to the checkpoint of the main graph that it was written under.
    const owner = noteOf(checkpoint).parents[""];
    const goesOn = !checkpoint.namespace.includes(":") && newestOf.get(checkpoint.namespace) === checkpoint.id;
    return goesOn || (owner !== undefined && ids.has(owner));
  };
}

/** Returns the ids from the newest checkpoint back through this number of inputs. */
function lastTurns(tree: CheckpointTree<CheckpointRow>, turns: number): string[] {
  const ids: string[] = [];
  let left = turns;
  for (const checkpoint of tree.newest === undefined ? [] : tree.pathFrom(tree.newest.id)) {
    if (left === 0) return ids;
    ids.push(checkpoint.id);
    if (noteOf(checkpoint).source === "input") left -= 1;
  }
  return ids;
}

function writtenSince(checkpoints: ThreadContent["checkpoints"], since: Date): string[] {
  return checkpoints.filter(({ versions }) => new Date(versions.ts) >= since).map(({ id }) => id);
}

function branchEnds(tree: CheckpointTree<CheckpointRow>): string[] {
  return tree.tips.flatMap(({ id }) => [id, ...(tree.branchPointOf(id) ? [tree.branchPointOf(id)?.id ?? id] : [])]);
}
