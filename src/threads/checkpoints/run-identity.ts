import type { CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import type { Database, Statement } from "../databases/database.js";
import { type HeldRun, heldStatement } from "../guard/held-run.js";

/** The most ids of runs that are remembered. */
const MOST = 1_000;

/**
 * The runs of a server, as a checkpointer sees them. A run is known by `configurable.run_id`. Its row notes that it has begun,
 * in the transaction of the first row that it stores in its thread. So a server that takes it over knows whether what it was
 * given is stored. This transaction also fails if another server has the run by now; later on, the thread's guard refuses it.
 */
export class RunIdentity {
  readonly #begun = new Set<string>();
  /** The runs of a server in this process, whose checkpoints it wants to know. */
  readonly #watched = new Map<string, { readonly held: HeldRun; readonly checkpoints: RunCheckpoints }>();

  constructor(private readonly database: Database) {}

  /**
   * Returns the statements that note that a run has begun, and that it goes on; none if that is known.
   *
   * @param place.checkpoint The checkpoint that gets pending writes. They only count beside the newest one: another server would
   *   go on from there. Undefined for a checkpoint of the run's own.
   */
  statements(
    run: string | undefined,
    { thread, checkpoint }: { readonly thread: string; readonly checkpoint?: string },
  ): Statement[] {
    if (run === undefined || this.#begun.has(keyOf(run, thread))) return [];
    const watched = this.#watched.get(keyOf(run, thread));
    const fence = watched ? [heldStatement(this.database, watched.held)] : [];
    if (checkpoint === undefined) return [...fence, { sql: goOn, parameters: [run, thread] }];
    return [...fence, { sql: begin, parameters: [run, thread, checkpoint] }];
  }

  /** Begins to note the checkpoints that an attempt of a run writes to its thread. */
  watch(held: HeldRun): RunCheckpoints & Disposable {
    const key = keyOf(held.id, held.thread);
    this.#begun.delete(key);
    const checkpoints = new RunCheckpoints();
    this.#watched.set(key, { held, checkpoints });
    return Object.assign(checkpoints, { [Symbol.dispose]: () => void this.#watched.delete(key) });
  }

  /** Notes a checkpoint of a run, if somebody wants to know. */
  note(run: string | undefined, thread: string, checkpoint: RunCheckpoint): void {
    if (run !== undefined) this.#watched.get(keyOf(run, thread))?.checkpoints.add(checkpoint);
  }

  /** Remembers that a run has begun on a thread, once a checkpoint of it is stored there. */
  remember(run: string | undefined, thread: string): void {
    if (run === undefined) return;
    if (this.#begun.size === MOST) this.#begun.clear();
    this.#begun.add(keyOf(run, thread));
  }
}

/** Where a checkpoint comes from: what clients need to go back to it. */
export const madeSchema = z.object({ parent_id: z.string().optional(), step: z.number(), source: z.string() });
export type MadeCheckpoint = z.infer<typeof madeSchema>;

/** A checkpoint that a run wrote. */
interface RunCheckpoint {
  readonly namespace: string;
  readonly id: string;
  /** The values that are stored. One that was never set is not. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly made: MadeCheckpoint;
  /** Rejects if it could not be stored. */
  readonly stored: Promise<unknown>;
}

/** The number of checkpoints in which values are looked for. Parallel subgraphs write several before one is asked for. */
const RECENT = 16;

/** The newest checkpoints of a run. */
export class RunCheckpoints {
  #recent: RunCheckpoint[] = [];

  add(checkpoint: RunCheckpoint): void {
    this.#recent = [checkpoint, ...this.#recent.slice(0, RECENT - 1)];
  }

  /** Finds the newest checkpoint that has these very values, apart from those that it does not have at all. */
  holding(namespace: string, values: Readonly<Record<string, unknown>>): RunCheckpoint | undefined {
    return this.#recent.find((one) => {
      const common = Object.keys(values).filter((key) => Object.hasOwn(one.values, key));
      return one.namespace === namespace && common.length > 0 && common.every((key) => one.values[key] === values[key]);
    });
  }
}

/** A run may write to threads of other agents, too. */
function keyOf(run: string, thread: string): string {
  return `${run} ${thread}`;
}

const goOn = "update glassloop_runs set has_begun = 1, stalled = 0 where id = $1 and thread = $2";
const begin = `update glassloop_runs set has_begun = 1 where id = $1 and thread = $2 and has_begun = 0 and $3 = (select id from glassloop_checkpoints where sequence = (
  select max(sequence) from glassloop_checkpoints where thread = $2 and namespace = ''))`;

/** Returns the id of the run to which a config belongs, if its program gave one. */
export function runIdOf(configurable: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const id = configurable?.run_id;
  return typeof id === "string" ? id : undefined;
}

/** Notes in the metadata of a checkpoint which run wrote it. */
export function markedWith(run: string | undefined, metadata: CheckpointMetadata): CheckpointMetadata {
  return { ...metadata, ...(run === undefined ? undefined : { run_id: run }) };
}
