import { isDeepStrictEqual } from "node:util";
import type { Checkpoint, CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import {
  type Database,
  numberOf,
  optionalNumberOf,
  optionalTextOf,
  type Row,
  type Statement,
  textOf,
} from "../databases/database.js";
import { deserialize, type Item, serialize } from "../values/serialize.js";
import { joinCheckpoint, splitCheckpoint } from "./checkpoint-body.js";
import { explainDamage } from "./explain-damage.js";

/** The namespace for checkpoints that cannot be read. They are kept for a person who wants to know why. */
export const DAMAGED = "__damaged__";

/** The key of a checkpoint. */
export interface CheckpointKey {
  readonly thread: string;
  readonly namespace: string;
  readonly id: string;
}

/** A checkpoint without the values of its channels. */
export interface StoredCheckpoint {
  readonly key: CheckpointKey;
  /** The place of its row in the order of all that were stored. */
  readonly sequence: number;
  readonly parent: string | undefined;
  readonly checkpoint: Omit<Checkpoint, "channel_values">;
  readonly metadata: CheckpointMetadata;
  /** The number of times that its thread was pruned. */
  readonly pruned: number;
}

const metadataSchema = z.looseObject({
  source: z.enum(["input", "loop", "update", "fork"]),
  step: z.number(),
  parents: z.record(z.string(), z.string()),
});

/** Makes a checkpoint ready to be stored: the statement for its row, and the item that names its channels. */
export function encodeCheckpoint(
  key: CheckpointKey,
  parent: string | undefined,
  checkpoint: Checkpoint,
  metadata: CheckpointMetadata,
): { readonly statement: Statement; readonly shape: Item } {
  const { shape, body } = splitCheckpoint(checkpoint);
  const { content } = serialize(metadata);
  const parameters = [key.thread, key.namespace, key.id, parent ?? null, shape.hash, body, content];
  return { statement: { sql: upsert, parameters }, shape };
}

const upsert = `insert into glassloop_checkpoints (thread, namespace, id, parent, shape, body, metadata)
  values ($1, $2, $3, $4, $5, $6, $7) on conflict (thread, namespace, id) do update
  set parent = excluded.parent, shape = excluded.shape, body = excluded.body, metadata = excluded.metadata`;

/** Reads a checkpoint, or the newest one if the id is empty. */
export async function readCheckpoint(
  database: Database,
  { thread, namespace, id }: CheckpointKey,
): Promise<StoredCheckpoint | undefined> {
  const [row] =
    id === ""
      ? await database.all(newestQuery, [thread, namespace])
      : await database.all(`${select} where c.thread = $1 and c.namespace = $2 and c.id = $3`, [thread, namespace, id]);
  return row && toStoredCheckpoint(row);
}

const select = `select c.thread, c.namespace, c.id, c.parent, c.body, c.metadata, shape.content as shape, t.pruned,
  cast(c.sequence as double precision) as sequence from glassloop_checkpoints c join glassloop_threads t on t.id = c.thread
  left join glassloop_items shape on shape.thread = c.thread and shape.hash = c.shape`;

// For "order by sequence limit 1" Postgres may go through all that other threads have stored since.
const newestQuery = `${select}
  where c.sequence = (select max(sequence) from glassloop_checkpoints where thread = $1 and namespace = $2)`;

function toStoredCheckpoint(row: Row): StoredCheckpoint {
  const key = { thread: textOf(row, "thread"), namespace: textOf(row, "namespace"), id: textOf(row, "id") };
  return {
    key,
    sequence: numberOf(row, "sequence"),
    parent: optionalTextOf(row, "parent"),
    checkpoint: { ...joinCheckpoint(textOf(row, "shape"), textOf(row, "body")), id: key.id },
    metadata: readMetadata(textOf(row, "metadata")),
    pruned: numberOf(row, "pruned"),
  };
}

/** Reads the metadata of a checkpoint. @throws SyntaxError, ZodError */
function readMetadata(json: string): CheckpointMetadata {
  return metadataSchema.parse(deserialize({ type: "json", content: json }));
}

/** The conditions for checkpoints to list. An undefined condition does not count. */
interface CheckpointFilter {
  readonly thread: string | undefined;
  readonly namespace: string | undefined;
  readonly id: string | undefined;
  /** The id of a checkpoint. Only checkpoints that were stored before it are listed. */
  readonly before: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
}

const PAGE = 100;

/** Lists checkpoints, the newest first. They are read in pages of 100. */
export async function* listCheckpoints(database: Database, filter: CheckpointFilter): AsyncGenerator<StoredCheckpoint> {
  const conditions = [
    ["c.thread = ", filter.thread],
    ["c.namespace = ", filter.namespace],
    ["c.id = ", filter.id],
  ] as const;
  const asked = conditions.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]));
  let end = await readEnd(database, filter);
  for (;;) {
    const rows = await readPage(database, asked, end);
    for (const row of rows) {
      const stored = await explainDamage(database, textOf(row, "thread"), async () => toStoredCheckpoint(row));
      if (matches(stored.metadata, filter.metadata)) yield stored;
      end = stored.sequence;
    }
    if (rows.length < PAGE) return;
  }
}

/**
 * Reads the place of the checkpoint given as `before`. For the history of a subgraph LangGraph gives the id of a checkpoint
 * of the main graph, so the checkpoint may be of any namespace. If it is not kept, the list is empty.
 */
async function readEnd(database: Database, { before, thread }: CheckpointFilter): Promise<number> {
  if (before === undefined) return Number.MAX_SAFE_INTEGER;
  const [row] = await database.all(
    `select cast(max(sequence) as double precision) as sequence from glassloop_checkpoints
      where id = $1 and (thread = $2 or $2 is null)`,
    [before, thread ?? null],
  );
  return (row && optionalNumberOf(row, "sequence")) ?? 0;
}

function readPage(
  database: Database,
  asked: readonly { readonly sql: string; readonly value: string }[],
  end: number,
): Promise<Row[]> {
  const conditions = [...asked, { sql: "c.sequence < ", value: end }];
  const where = conditions.map(({ sql }, index) => `${sql}$${index + 1}`).join(" and ");
  return database.all(
    `${select} where ${where} and c.namespace <> '${DAMAGED}' order by c.sequence desc limit ${PAGE}`,
    conditions.map(({ value }) => value),
  );
}

function matches(metadata: CheckpointMetadata, filter: Readonly<Record<string, unknown>> | undefined): boolean {
  const entries: Readonly<Record<string, unknown>> = { ...metadata };
  return Object.entries(filter ?? {}).every(([key, value]) => isDeepStrictEqual(entries[key], value));
}
