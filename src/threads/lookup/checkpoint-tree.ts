import { z } from "zod";
import type { CheckpointRow } from "../checkpoints/thread-content.js";

const metadataSchema = z.looseObject({
  source: z.string(),
  step: z.number(),
  parents: z.record(z.string(), z.string()).default({}),
  repaired: z.array(z.string()).optional(),
  graph: z.string().optional(),
});
type CheckpointNote = z.infer<typeof metadataSchema>;

/** Reads the metadata of a checkpoint. */
export function noteOf({ metadata }: Pick<CheckpointRow, "metadata">): CheckpointNote {
  return metadataSchema.parse(JSON.parse(metadata));
}

/** The checkpoints of a thread's main graph, as a tree. A fork is a branch of it. */
export class CheckpointTree<Checkpoint extends Pick<CheckpointRow, "namespace" | "id" | "parent">> {
  readonly #byId: ReadonlyMap<string, Checkpoint>;
  readonly #children = new Map<string, number>();

  /** @param checkpoints The checkpoints, the oldest first. The constructor leaves out those of subgraphs. */
  constructor(checkpoints: readonly Checkpoint[]) {
    this.#byId = new Map(checkpoints.filter(({ namespace }) => namespace === "").map((row) => [row.id, row]));
    for (const { parent } of this.#byId.values()) {
      if (parent !== undefined) this.#children.set(parent, (this.#children.get(parent) ?? 0) + 1);
    }
  }

  /** The checkpoint that was written last. The thread goes on from it. */
  get newest(): Checkpoint | undefined {
    return [...this.#byId.values()].at(-1);
  }

  /** The last checkpoint of every branch. */
  get tips(): Checkpoint[] {
    return [...this.#byId.values()].filter(({ id }) => !this.#children.has(id));
  }

  /** Returns a checkpoint and the checkpoints that it came from, the newest first. */
  *pathFrom(id: string): Generator<Checkpoint> {
    for (let row = this.#byId.get(id); row; row = row.parent === undefined ? undefined : this.#byId.get(row.parent)) {
      yield row;
    }
  }

  /**
   * Returns the checkpoint at which the branch with this last checkpoint left the others; undefined if there are no
   * others.
   */
  branchPointOf(tip: string): Checkpoint | undefined {
    for (const row of this.pathFrom(tip)) if ((this.#children.get(row.id) ?? 0) > 1) return row;
    return undefined;
  }
}
