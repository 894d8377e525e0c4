import { isDeepStrictEqual } from "node:util";
import type { Checkpoint, CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import {
  type Cell,
  type Database,
  numberOf,
  optionalTextOf,
  type Row,
  type Statement,
  textOf,
} from "../databases/database.js";
import type { Item } from "../values/encode.js";
import { deserialize, serialize } from "../values/serialize.js";
import { joinCheckpoint, splitCheckpoint } from "./checkpoint-body.js";

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
      ? await database.all(`${select} where c.thread = $1 and c.namespace = $2 order by c.id desc limit 1`, [
          thread,
          namespace,
        ])
      : await database.all(`${select} where c.thread = $1 and c.namespace = $2 and c.id = $3`, [thread, namespace, id]);
  return row && toStoredCheckpoint(row);
}

const select = `select c.thread, c.namespace, c.id, c.parent, c.body, c.metadata, shape.content as shape, t.pruned
  from glassloop_checkpoints c join glassloop_threads t on t.id = c.thread
  left join glassloop_items shape on shape.thread = c.thread and shape.hash = c.shape`;

function toStoredCheckpoint(row: Row): StoredCheckpoint {
  const key = { thread: textOf(row, "thread"), namespace: textOf(row, "namespace"), id: textOf(row, "id") };
  return {
    key,
    parent: optionalTextOf(row, "parent"),
    checkpoint: { ...joinCheckpoint(textOf(row, "shape"), textOf(row, "body")), id: key.id },
    metadata: readMetadata(textOf(row, "metadata")),
    pruned: numberOf(row, "pruned"),
  };
}

/** Reads the metadata of a checkpoint. @throws SyntaxError, ZodError */
export function readMetadata(json: string): CheckpointMetadata {
  return metadataSchema.parse(deserialize({ type: "json", content: json }));
}

/** The conditions for checkpoints to list. An undefined condition does not count. */
export interface CheckpointFilter {
  readonly thread: string | undefined;
  readonly namespace: string | undefined;
  readonly id: string | undefined;
  /** The id of a checkpoint. Only checkpoints with a smaller id, that is older ones, are listed. */
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
    ["c.id < ", filter.before],
  ] as const;
  const asked = conditions.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]));
  let after: CheckpointKey | undefined;
  for (;;) {
    const rows = await readPage(database, asked, after);
    for (const row of rows) {
      const stored = toStoredCheckpoint(row);
      if (matches(stored.metadata, filter.metadata)) yield stored;
      after = stored.key;
    }
    if (rows.length < PAGE) return;
  }
}

function readPage(
  database: Database,
  asked: readonly { readonly sql: string; readonly value: string }[],
  after: CheckpointKey | undefined,
): Promise<Row[]> {
  const parameters: Cell[] = asked.map(({ value }) => value);
  const conditions = asked.map(({ sql }, index) => `${sql}$${index + 1}`);
  if (after !== undefined) {
    const first = parameters.push(after.id, after.thread, after.namespace) - 2;
    conditions.push(`(c.id, c.thread, c.namespace) < ($${first}, $${first + 1}, $${first + 2})`);
  }
  conditions.push(`c.namespace <> '${DAMAGED}'`);
  return database.all(
    `${select} where ${conditions.join(" and ")} order by c.id desc, c.thread desc, c.namespace desc limit ${PAGE}`,
    parameters,
  );
}

function matches(metadata: CheckpointMetadata, filter: Readonly<Record<string, unknown>> | undefined): boolean {
  const entries: Readonly<Record<string, unknown>> = { ...metadata };
  return Object.entries(filter ?? {}).every(([key, value]) => isDeepStrictEqual(entries[key], value));
}
