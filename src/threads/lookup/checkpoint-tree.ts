import { z } from "zod";
import type { CheckpointRow } from "../checkpoints/thread-content.js";

const metadataSchema = z.looseObject({
  source: z.string(),
  step: z.number(),
  parents: z.record(z.string(), z.string()).default({}),
  repaired: z.array(z.string()).optional(),
});
export type CheckpointNote = z.infer<typeof metadataSchema>;

/** What a checkpoint's metadata say of it. */
export function noteOf({ metadata }: Pick<CheckpointRow, "metadata">): CheckpointNote {
  return metadataSchema.parse(JSON.parse(metadata));
}

/** The checkpoints of a thread's main graph, as the tree that forks make of them. */
export class CheckpointTree<Checkpoint extends CheckpointRow> {
  readonly #byId: ReadonlyMap<string, Checkpoint>;
  readonly #children = new Map<string, number>();

  /** @param checkpoints Oldest first; those of other graphs than the main one are left out. */
  constructor(checkpoints: readonly Checkpoint[]) {
    this.#byId = new Map(checkpoints.filter(({ namespace }) => namespace === "").map((row) => [row.id, row]));
    for (const { parent } of this.#byId.values()) {
      if (parent !== undefined) this.#children.set(parent, (this.#children.get(parent) ?? 0) + 1);
    }
  }

  /** The checkpoint written last: where the thread goes on. */
  get newest(): Checkpoint | undefined {
    return [...this.#byId.values()].at(-1);
  }

  /** The last checkpoint of every branch. */
  get tips(): Checkpoint[] {
    return [...this.#byId.values()].filter(({ id }) => !this.#children.has(id));
  }

  /** A checkpoint and those it came from, newest first. */
  *pathFrom(id: string): Generator<Checkpoint> {
    for (let row = this.#byId.get(id); row; row = row.parent === undefined ? undefined : this.#byId.get(row.parent)) {
      yield row;
    }
  }

  /** Where the branch that a checkpoint ends left the others; undefined when there are none. */
  branchPointOf(tip: string): Checkpoint | undefined {
    for (const row of this.pathFrom(tip)) if ((this.#children.get(row.id) ?? 0) > 1) return row;
    return undefined;
  }
}
