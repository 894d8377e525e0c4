import { attempted } from "../../base/attempted.js";
import { type Database, numberOf, optionalNumberOf, optionalTextOf, type Row, textOf } from "../databases/database.js";
import { hashesOf, parseStoredValue, parseStoredWrites } from "../values/stored-form.js";
import { type CheckpointVersions, joinCheckpoint } from "./checkpoint-body.js";
import { DAMAGED } from "./checkpoint-rows.js";
import { explainDamage } from "./explain-damage.js";

/** The row of a checkpoint. */
export type CheckpointRow = Readonly<ReturnType<typeof checkpointIn>>;

/** The row of a checkpoint, with the versions of its channels. */
type WholeCheckpoint = CheckpointRow & { readonly versions: CheckpointVersions };

/** The row of a channel's version. */
export type VersionRow = Readonly<ReturnType<typeof toVersionRow>>;

/** The rows of a thread, without its items. */
export interface ThreadContent {
  readonly checkpoints: readonly WholeCheckpoint[];
  readonly versions: readonly VersionRow[];
  readonly writes: readonly Readonly<ReturnType<typeof toWriteRow>>[];
}

/** Reads the rows of a thread, all as they were at one moment. */
export async function readThreadContent(database: Database, thread: string): Promise<ThreadContent> {
  const queries = [checkpointQuery, versionQuery, writeQuery];
  const [checkpoints = [], versions = [], writes = []] = await database.batch(
    queries.map((sql) => ({ sql, parameters: [thread] })),
    { reading: true },
  );
  return {
    checkpoints: checkpoints.flatMap(toCheckpointRow),
    versions: versions.map(toVersionRow),
    writes: writes.map(toWriteRow),
  };
}

/** The columns of a checkpoint's row, and where they are. {@link toCheckpointRow} reads such rows. */
export const checkpointColumns = `c.namespace, c.id, c.parent, c.shape, c.body, c.metadata, shape.content as channels
  from glassloop_checkpoints c left join glassloop_items shape on shape.thread = c.thread and shape.hash = c.shape`;
/** The query for the checkpoints of a thread, the oldest first. {@link toCheckpointRow} reads its rows. */
export const checkpointQuery = `select ${checkpointColumns} where c.thread = $1 and c.namespace <> '${DAMAGED}' order by c.sequence`;
const versionQuery = "select namespace, channel, version, base, body from glassloop_versions where thread = $1";
const writeQuery = `select namespace, checkpoint, task, position, body from glassloop_writes where thread = $1
  order by namespace, checkpoint, task, position`;

function checkpointIn(row: Row) {
  return {
    namespace: textOf(row, "namespace"),
    id: textOf(row, "id"),
    parent: optionalTextOf(row, "parent"),
    shape: textOf(row, "shape"),
    body: textOf(row, "body"),
    metadata: textOf(row, "metadata"),
  };
}

/** Reads a row of {@link checkpointQuery}. Returns nothing for a damaged checkpoint, whose versions cannot be read. */
export function toCheckpointRow(row: Row): WholeCheckpoint[] {
  const checkpoint = checkpointIn(row);
  const channels = optionalTextOf(row, "channels") ?? "";
  const versions = attempted(() => joinCheckpoint(channels, checkpoint.body));
  return versions === undefined ? [] : [{ ...checkpoint, versions }];
}

function toVersionRow(row: Row) {
  return {
    namespace: textOf(row, "namespace"),
    channel: textOf(row, "channel"),
    version: numberOf(row, "version"),
    base: optionalNumberOf(row, "base"),
    body: textOf(row, "body"),
  };
}

function toWriteRow(row: Row) {
  return {
    namespace: textOf(row, "namespace"),
    checkpoint: textOf(row, "checkpoint"),
    task: textOf(row, "task"),
    position: numberOf(row, "position"),
    body: textOf(row, "body"),
  };
}

/** A part of a thread that can be read on its own. */
export interface WholeContent extends ThreadContent {
  /** The hashes of the items that this part needs. */
  readonly hashes: ReadonlySet<string>;
}

/** Selects checkpoints of a thread, with all rows that are needed to read them and to go on from them. */
export function contentOf(content: ThreadContent, isWanted: (checkpoint: CheckpointRow) => boolean): WholeContent {
  const checkpoints = content.checkpoints.filter(isWanted);
  const wanted = new Set(checkpoints.map(({ namespace, id }) => `${namespace}\0${id}`));
  const writes = content.writes.filter(({ namespace, checkpoint }) => wanted.has(`${namespace}\0${checkpoint}`));
  const versions = neededVersions(content.versions, checkpoints);
  const hashes = new Set([
    ...checkpoints.map(({ shape }) => shape),
    ...versions.flatMap(({ body }) => hashesOf(parseStoredValue(body))),
    ...writes.flatMap(({ body }) => parseStoredWrites(body).flatMap(([, value]) => hashesOf(value))),
  ]);
  return { checkpoints, versions, writes, hashes };
}

/** Reads all that is kept of a thread, as it is at one moment. @throws ThreadError "damaged-thread" if a part cannot be read */
export function readWholeThread(database: Database, thread: string): Promise<WholeContent> {
  return explainDamage(database, thread, async () => contentOf(await readThreadContent(database, thread), () => true));
}

/** Selects the versions that checkpoints name, and the versions that these are based on. */
function neededVersions(versions: readonly VersionRow[], checkpoints: readonly WholeCheckpoint[]): VersionRow[] {
  const byKey = new Map(versions.map((row) => [keyOf(row.namespace, row.channel, row.version), row]));
  const needed = new Set<VersionRow>();
  for (const { namespace, versions } of checkpoints) {
    for (const [channel, version] of Object.entries(versions.channel_versions)) {
      let row = byKey.get(keyOf(namespace, channel, version));
      while (row !== undefined && !needed.has(row)) {
        needed.add(row);
        row = row.base === undefined ? undefined : byKey.get(keyOf(namespace, channel, row.base));
      }
    }
  }
  return versions.filter((row) => needed.has(row));
}

function keyOf(namespace: string, channel: string, version: number | string): string {
  return `${namespace}\0${channel}\0${version}`;
}
