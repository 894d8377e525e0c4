import { NewerDatabaseError, ThreadsDatabaseError } from "../../base/errors.js";
import { type Row, type Statement, statementOf, textOf } from "./database.js";

/** A version of the tables: the statements that migrate a database to it from the version before, in the words of Postgres. */
export type SchemaVersion = readonly string[];

/** The statements between the versions of the tables. */
export function schemaOf(versions: readonly SchemaVersion[]) {
  return {
    /** A statement that fails, with its transaction, unless the tables have the newest version. */
    fence: statementOf(fenceOf(versions.length)),

    /**
     * Reads the version of tables that exist.
     *
     * @param place The database, as errors name it.
     * @param rows The rows of {@link versionQuery}: none for tables made before 0.1.0, which noted their version elsewhere.
     * @throws NewerDatabaseError if the version is unknown; ThreadsDatabaseError if there is no row.
     */
    versionIn(place: string, [row]: readonly Row[]): number {
      if (row === undefined) throw new ThreadsDatabaseError(place, madeBefore);
      const version = versions.findIndex((_, index) => String(index + 1) === textOf(row, "value")) + 1;
      if (version === 0) throw new NewerDatabaseError(place, textOf(row, "value"), versions.length);
      return version;
    },

    /**
     * Returns the statements that migrate the tables from one version to another, for one transaction. From version 0 they
     * make the tables, that of the version first. They fail if another process was faster.
     */
    changes: (from: number, to = versions.length): Statement[] =>
      [
        ...(from > 0 ? [fenceOf(from)] : []),
        ...versions.slice(from, to).flat(),
        `insert into glassloop_meta (name, value) values ('version', '${to}')
          on conflict (name) do update set value = excluded.value`,
      ].map(statementOf),

    /**
     * Brings the tables to the newest version. If another process does the same, this one fails, and then finds nothing left
     * to do.
     *
     * @param from The version that was read.
     * @param change Makes the changes from a version, in one transaction.
     */
    async migrate(
      from: number,
      change: (from: number) => Promise<unknown>,
      readVersion: () => Promise<number>,
    ): Promise<void> {
      for (let version = from; version < versions.length; ) {
        try {
          await change(version);
          return;
        } catch (error) {
          const now = await readVersion();
          if (now === version) throw error;
          version = now;
        }
      }
    },
  };
}

export const versionQuery = "select value from glassloop_meta where name = 'version'";

/** Writes a statement that fails for any other version: it inserts null, which the column refuses. */
function fenceOf(version: number): string {
  return `insert into glassloop_meta (name, value) select 'version', null
    where not exists (${versionQuery} and value = '${version}')`;
}

const madeBefore =
  "its threads were made before 0.1.0, and this Glassloop cannot read them. They were left as they are. Name another " +
  "database, or read them with the version of Glassloop that wrote them.";

/** A text type that sorts by bytes. */
const text = 'text collate "C"';
/** The type of an auto-increment key whose numbers are never used again. */
const sequence = "bigint generated always as identity primary key";
/** The end of `create table` for small rows that are always found by their whole key. Only SQLite has tables of that kind. */
const smallRows = " /* without rowid */";

/**
 * The first version: the statements that make the tables of the threads.
 *
 * - `meta`: the version of this layout.
 * - `threads`: one row a thread. `graph` and `state_version` name the graph and the version of its state. `pruned` is the
 *   number of times that the thread was pruned. A copy counts on from a number drawn at random.
 *   `settings` is not written: databases that have it can still be opened. `owner` is whom a server keeps it for.
 * - `metadata`: the metadata that a server's client gave a thread, one row for each value that is no object. `name` is its
 *   first key, and `path` are all keys down to it.
 * - `checkpoints`: one row a super-step. `sequence` is the order in which checkpoints were stored, in all threads; clocks may
 *   jump, and LangGraph's ids are made from clocks. `body` holds the versions of its channels. `shape` is the hash of the
 *   item that names the channels, which most checkpoints of a thread share.
 * - `versions`: one row for each change of a channel, with its value. A list is stored as the elements that were added to the
 *   version `base`, or as a whole.
 * - `items`: the content. Each item is kept once in a thread under its hash, for all versions and pending writes that
 *   hold it.
 * - `texts`: the questions and answers among the items, in the form for search.
 * - `writes`: the writes of finished tasks whose super-step has not ended, and notes that an agent leaves beside a checkpoint.
 * - `guards`: the run that uses a thread, as long as it does.
 * - `runs`: the runs of a server. `number` is their order. `holder` is the server that runs it. `has_begun` is set together
 *   with the first row that the run wrote to its thread. `attempt` is the number of times that a server took it, and `stalled`
 *   the number of the last of these that stored no checkpoint. `cancelled` says that it has to stop. `swept` says that its events
 *   are deleted.
 * - `run_events`: the events of a run. A row has several; `seq` is the number of its first one.
 * - `store_items`: LangGraph's long-term store, which belongs to no thread. `number` is the order of its items. `owner` is empty
 *   if a server knows no owners.
 */
const tables: SchemaVersion = [
  `create table glassloop_meta (name ${text} primary key, value ${text} not null)`,
  `create table glassloop_threads (id ${text} primary key, created_at ${text} not null,
    updated_at ${text} not null, title ${text}, last_question ${text}, turns integer not null, graph ${text},
    state_version integer, pruned integer not null default 0, settings ${text}, owner ${text})`,
  `create index glassloop_threads_made on glassloop_threads ((coalesce(owner, '')), created_at, id)`,
  `create index glassloop_threads_changed on glassloop_threads ((coalesce(owner, '')), updated_at, id)`,
  `create table glassloop_metadata (thread ${text} not null, path ${text} not null, name ${text} not null,
    value ${text} not null, primary key (thread, path))${smallRows}`,
  `create table glassloop_checkpoints (sequence ${sequence}, thread ${text} not null,
    namespace ${text} not null, id ${text} not null, parent ${text}, shape ${text} not null, body ${text} not null,
    metadata ${text} not null, unique (thread, namespace, id))`,
  `create index glassloop_checkpoints_by_sequence
    on glassloop_checkpoints (thread, namespace, sequence)`,
  `create table glassloop_versions (thread ${text} not null, namespace ${text} not null,
    channel ${text} not null, version double precision not null, base double precision, body ${text} not null,
    primary key (thread, namespace, version, channel))${smallRows}`,
  `create table glassloop_items (thread ${text} not null, hash ${text} not null, type ${text} not null,
    content ${text} not null, primary key (thread, hash))`,
  `create table glassloop_texts (thread ${text} not null, hash ${text} not null, folded ${text} not null,
    primary key (thread, hash))`,
  `create table glassloop_writes (thread ${text} not null, namespace ${text} not null,
    checkpoint ${text} not null, task ${text} not null, position integer not null, body ${text} not null,
    primary key (thread, namespace, checkpoint, task, position))${smallRows}`,
  `create table glassloop_guards (thread ${text} primary key, owner ${text} not null,
    holder ${text} not null, host ${text} not null, pid integer not null, started ${text} not null,
    renewed_at double precision not null, interrupted integer not null default 0)`,
  `create table glassloop_runs (number ${sequence}, id ${text} not null unique, thread ${text} not null,
    graph ${text} not null, owner ${text}, status ${text} not null, strategy ${text} not null, metadata ${text} not null,
    given ${text} not null, is_temporary integer not null, has_begun integer not null default 0,
    attempt integer not null default 0, stalled integer not null default 0, error ${text}, cancelled ${text},
    holder ${text}, swept integer not null default 0, created_at ${text} not null, updated_at ${text} not null)`,
  `create index glassloop_runs_by_thread on glassloop_runs (thread, number)`,
  `create index glassloop_runs_active on glassloop_runs (thread, number) where status in ('pending', 'running')`,
  `create index glassloop_runs_pending on glassloop_runs (number) where status = 'pending'`,
  `create index glassloop_runs_running on glassloop_runs (holder) where status = 'running'`,
  `create index glassloop_runs_temporary on glassloop_runs (updated_at) where is_temporary = 1`,
  `create index glassloop_runs_by_age on glassloop_runs (swept, updated_at)`,
  `create table glassloop_run_events (thread ${text} not null, run ${text} not null, seq integer not null,
    body ${text} not null, primary key (thread, run, seq))${smallRows}`,
  `create table glassloop_store_items (number ${sequence}, owner ${text} not null, namespace ${text} not null,
    key ${text} not null, value ${text} not null, created_at ${text} not null, updated_at ${text} not null,
    unique (owner, namespace, key))`,
];

/**
 * The second version, for lists of threads: an index of the questions to people, and a table.
 *
 * - `changes`: the threads that were made, labelled or deleted without a checkpoint or a run that tells of it, and whose they
 *   were. `number` is the order. Servers keep the last 1,000.
 */
const lists: SchemaVersion = [
  "create index glassloop_writes_asked on glassloop_writes (thread, checkpoint) where position = -3",
  `create table glassloop_changes (number ${sequence}, thread ${text} not null, owner ${text})`,
];

/**
 * The versions that this Glassloop knows. The first one makes the tables. Add a version with every change that an older
 * Glassloop cannot read, whether of tables or of the contents of rows. The statements of a version run once, in one
 * transaction, while nobody else writes. Do not change two tables: older processes read the version in `glassloop_meta`, and
 * hold and release threads in `glassloop_guards`.
 *
 * Until 0.1.0 is published the last version changes in place.
 */
export const schemaVersions: readonly SchemaVersion[] = [tables, lists];

/** The tables that hold rows of a thread, in a column named `thread`. */
export const threadTables = [
  "glassloop_checkpoints",
  "glassloop_versions",
  "glassloop_items",
  "glassloop_texts",
  "glassloop_writes",
  "glassloop_guards",
  "glassloop_metadata",
  "glassloop_runs",
  "glassloop_run_events",
] as const;
