import type { CheckpointRow, ThreadContent } from "../checkpoints/thread-content.js";
import { CheckpointTree, noteOf } from "../lookup/checkpoint-tree.js";

/** Which checkpoints of a thread to keep. */
export interface RetentionPolicy {
  /** Keeps the checkpoints of the last turns, this many. */
  readonly keepTurns?: number | undefined;
  /** Keeps the checkpoints written at this time or later. */
  readonly keepSince?: Date | undefined;
  /** Lets go of branches that were left, such as an answer that was regenerated. They keep their last checkpoint unless given. */
  readonly dropBranches?: boolean | undefined;
}

/**
 * The checkpoints to keep: what the policy names, the newest one, the pinned ones, and of every branch its last one and
 * the one where it left the others.
 *
 * @returns A test for the checkpoints of this thread.
 */
export function kept(
  { checkpoints }: Pick<ThreadContent, "checkpoints">,
  pinned: ReadonlySet<string>,
  policy: RetentionPolicy,
): (checkpoint: CheckpointRow) => boolean {
  const tree = new CheckpointTree(checkpoints);
  const ids = new Set([
    ...pinned,
    ...lastTurns(tree, policy.keepTurns ?? 0),
    ...(policy.keepSince === undefined ? [] : writtenSince(checkpoints, policy.keepSince)),
    ...(policy.dropBranches ? [] : branchEnds(tree)),
  ]);
  if (tree.newest !== undefined) ids.add(tree.newest.id);
  const newestOf = new Map(checkpoints.map(({ namespace, id }) => [namespace, id]));
  return (checkpoint) => {
    if (checkpoint.namespace === "") return ids.has(checkpoint.id);
    // A subgraph's checkpoints belong to the one of the main graph that they were written under.
    const owner = noteOf(checkpoint).parents[""];
    const goesOn = !checkpoint.namespace.includes(":") && newestOf.get(checkpoint.namespace) === checkpoint.id;
    return goesOn || (owner !== undefined && ids.has(owner));
  };
}

/** The path from the newest checkpoint back through as many inputs. */
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
