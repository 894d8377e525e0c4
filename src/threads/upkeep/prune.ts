import { InvalidOptionError } from "../../base/errors.js";
import { holdsCalls } from "../../core/run/notes.js";
import { explainDamage } from "../checkpoints/explain-damage.js";
import {
  type CheckpointRow,
  contentOf,
  readThreadContent,
  type ThreadContent,
  type VersionRow,
  type WholeContent,
} from "../checkpoints/thread-content.js";
import { type Cell, type Database, optionalNumberOf, type Statement, textOf } from "../databases/database.js";
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

/** The numbers of rows that pruning deleted. */
export interface Pruned {
  readonly checkpoints: number;
  readonly versions: number;
  readonly items: number;
}

/** Checks a policy. @throws InvalidOptionError if it does not say what to keep, or a value is not possible. */
export function checkPolicy({ keepTurns, keepSince }: RetentionPolicy): void {
  if (keepTurns === undefined && keepSince === undefined) {
    throw new InvalidOptionError("keepTurns", "say what to keep: { keepTurns: 10 } or { keepSince: new Date(…) }.");
  }
  if (keepTurns !== undefined && (!Number.isSafeInteger(keepTurns) || keepTurns < 0)) {
    throw new InvalidOptionError("keepTurns", `${keepTurns} is not possible; give a whole number from 0.`);
  }
  if (keepSince !== undefined && Number.isNaN(keepSince.getTime())) {
    throw new InvalidOptionError("keepSince", "this is no time; give a Date.");
  }
}

const ATTEMPTS = 5;

/**
 * Prunes a thread. Deletes the checkpoints that the policy does not keep, and the content that only they needed: all or
 * nothing. If the thread is written meanwhile, pruning begins anew, up to 5 times.
 *
 * @param write The function that writes to the thread: all statements or none.
 * @returns The numbers of deleted rows; zeros for a thread that does not exist.
 * @throws ThreadError "damaged-thread" if a part that stays cannot be read; all errors of `write`.
 */
export async function pruneThread(
  database: Database,
  write: (statements: readonly Statement[]) => Promise<void>,
  thread: string,
  policy: RetentionPolicy,
): Promise<Pruned> {
  for (let attempt = 1; ; attempt += 1) {
    const before = await readNewest(database, thread);
    const content = await readThreadContent(database, thread);
    const stays = await explainDamage(database, thread, async () => contentOf(content, kept(content, policy)));
    const items = await readUnneeded(database, thread, stays);
    const pruned = countsOf(content, stays, items);
    if (pruned.checkpoints + pruned.versions + pruned.items === 0) return pruned;
    try {
      await write(deletions(thread, before, content, stays, items));
      return pruned;
    } catch (error) {
      if (attempt === ATTEMPTS || (await readNewest(database, thread)) === before) throw error;
    }
  }
}

/** Reads the hashes of the items of a thread that its content does not need. */
export async function readUnneeded(database: Database, thread: string, stays: WholeContent): Promise<string[]> {
  const hashes = await database.all("select hash from glassloop_items where thread = $1", [thread]);
  return hashes.map((row) => textOf(row, "hash")).filter((hash) => !stays.hashes.has(hash));
}

export const nothingPruned: Pruned = { checkpoints: 0, versions: 0, items: 0 };

/** Reads the place of the thread's newest checkpoint in the order of all that were stored; 0 if it has none. */
export async function readNewest(database: Database, thread: string): Promise<number> {
  const [row] = await database.all(
    "select cast(max(sequence) as double precision) as newest from glassloop_checkpoints where thread = $1",
    [thread],
  );
  return (row && optionalNumberOf(row, "newest")) ?? 0;
}

function countsOf(content: ThreadContent, stays: WholeContent, items: readonly string[]): Pruned {
  return {
    checkpoints: content.checkpoints.length - stays.checkpoints.length,
    versions: content.versions.length - stays.versions.length,
    items: items.length,
  };
}

/**
 * Returns the statements that delete rows. The first one counts, and so locks the thread's row in databases that have
 * row locks. The fence after it stops the transaction if the thread was written meanwhile.
 */
export function deletions(
  thread: string,
  before: number,
  content: ThreadContent,
  stays: WholeContent,
  items: readonly string[],
): Statement[] {
  const rows = new Set<unknown>([...stays.checkpoints, ...stays.versions]);
  const statements: Statement[] = [
    { sql: "update glassloop_threads set pruned = pruned + 1 where id = $1", parameters: [thread] },
    { sql: fence, parameters: [thread, before] },
  ];
  for (const [namespace, ids] of grouped(content.checkpoints, ({ namespace }) => namespace)) {
    const gone = ids.filter((row) => !rows.has(row)).map(({ id }) => id);
    statements.push(
      ...deleteWhere("glassloop_checkpoints", { thread, namespace }, "id", gone),
      ...deleteWhere("glassloop_writes", { thread, namespace }, "checkpoint", gone),
    );
  }
  for (const [place, versions] of grouped(content.versions, placeOf)) {
    const [namespace = "", channel = ""] = place.split("\0");
    const gone = versions.filter((row) => !rows.has(row)).map(({ version }) => version);
    statements.push(...deleteWhere("glassloop_versions", { thread, namespace, channel }, "version", gone));
  }
  return [
    ...statements,
    ...deleteWhere("glassloop_items", { thread }, "hash", items),
    ...deleteWhere("glassloop_texts", { thread }, "hash", items),
    ...relink(thread, content, stays),
  ];
}

/**
 * A statement that fails, with its transaction, if the thread was written meanwhile: it inserts null as a time, which the
 * column refuses.
 */
const fence = `insert into glassloop_threads (id, created_at, updated_at, turns) select $1, null, null, 0
  where exists (select 1 from glassloop_checkpoints where thread = $1 and sequence > $2)`;

function placeOf({ namespace, channel }: VersionRow): string {
  return `${namespace}\0${channel}`;
}

/**
 * The number of values of each statement. A database remembers each statement that it saw, and one size keeps them few.
 * The last chunk is filled up with its first value.
 */
const CHUNK = 64;

function deleteWhere(
  table: string,
  where: Readonly<Record<string, string>>,
  column: string,
  values: readonly Cell[],
): Statement[] {
  const names = Object.keys(where);
  const conditions = names.map((name, index) => `${name} = $${index + 1}`).join(" and ");
  const places = Array.from({ length: CHUNK }, (_, index) => `$${names.length + index + 1}`).join(", ");
  const sql = `delete from ${table} where ${conditions} and ${column} in (${places})`;
  return Array.from({ length: Math.ceil(values.length / CHUNK) }, (_, index) => {
    const start = index * CHUNK;
    const chunk = Array.from({ length: CHUNK }, (_, place) => values[start + place] ?? values[start] ?? null);
    return { sql, parameters: [...Object.values(where), ...chunk] };
  });
}

/**
 * Gives each checkpoint that stays a new parent, its nearest ancestor that stays, so that the history of the thread has no
 * gaps.
 */
function relink(thread: string, content: ThreadContent, stays: WholeContent): Statement[] {
  const all = new Map(content.checkpoints.map((row) => [`${row.namespace}\0${row.id}`, row]));
  const staying = new Set<unknown>(stays.checkpoints);
  return stays.checkpoints.flatMap(({ namespace, id, parent }) => {
    let nearest = parent;
    for (
      let row = all.get(`${namespace}\0${nearest}`);
      row && !staying.has(row);
      row = all.get(`${namespace}\0${nearest}`)
    ) {
      nearest = row.parent;
    }
    if (nearest === parent) return [];
    const sql = "update glassloop_checkpoints set parent = $4 where thread = $1 and namespace = $2 and id = $3";
    return [{ sql, parameters: [thread, namespace, id, nearest ?? null] }];
  });
}

function grouped<T>(values: readonly T[], keyOf: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group === undefined) groups.set(keyOf(value), [value]);
    else group.push(value);
  }
  return groups;
}
