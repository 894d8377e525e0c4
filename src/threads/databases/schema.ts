import { ThreadsDatabaseError } from "../../base/errors.js";
import { type Row, textOf } from "./database.js";

/**
 * The version of the tables below and of what their rows hold. Raise it with every change that an older Glassloop cannot
 * read. Until 0.1.0 is published it stays 1, and the tables change in place.
 */
const VERSION = 1;

export const versionQuery = "select value from glassloop_meta where name = 'version'";

/**
 * Checks the version of tables that exist. The first migration, from version 1 to 2, would come here: it changes the tables
 * before the check, as one transaction.
 *
 * @param place The database, as errors name it.
 * @param rows The rows of {@link versionQuery}. Tables that were made before 0.1.0 noted their version in another place.
 * @throws ThreadsDatabaseError if the tables are of another version.
 */
export function checkVersion(place: string, [row]: readonly Row[]): void {
  const version = row && textOf(row, "value");
  if (version === String(VERSION)) return;
  throw new ThreadsDatabaseError(place, version === undefined ? madeBefore : otherVersion(version));
}

const madeBefore =
  "its threads were made before 0.1.0, and this Glassloop cannot read them. They were left as they are. Name another " +
  "database, or read them with the version of Glassloop that wrote them.";

function otherVersion(version: string): string {
  return (
    `its tables are of version ${version}, and this Glassloop knows versions up to ${VERSION}. ` +
    "Open it with the version of Glassloop that wrote it, or a newer one."
  );
}

/** The words that differ between the databases. */
export interface Dialect {
  /** A text type that sorts by bytes. */
  readonly text: string;
  /** The type of a key that counts up by itself. A number is never used twice. */
  readonly sequence: string;
  /** The end of a table whose rows are small and are always found by their whole key. */
  readonly smallRows: string;
}

/**
 * Returns the statements that make the tables of the threads.
 *
 * - `meta`: the version of this layout.
 * - `threads`: one row a thread. `graph` and `state_version` name the graph and the version of its state. `pruned` is
 *   the number of times that the thread was pruned. A renamed thread and a copy count on from a number drawn at random.
 *   `settings` are those of the program that runs it.
 * - `checkpoints`: one row a super-step. `sequence` tells the order in which they were stored, in all threads. Clocks
 *   and the ids that LangGraph makes from them do not. `body` holds the versions of its channels. `shape` is the hash of
 *   the item that names the channels, which most checkpoints of a thread share.
 * - `versions`: one row for each change of a channel, with its value. A list is written as the elements that it adds to
 *   the version `base`, or as a whole.
 * - `items`: the content. Each item is kept once in a thread under its hash, for all versions and pending writes that
 *   hold it.
 * - `texts`: the questions and answers among the items, in the form for search.
 * - `writes`: the writes of finished tasks whose super-step has not ended, and notes that an agent leaves beside a checkpoint.
 * - `guards`: the run that uses a thread, as long as it does.
 */
export function tables({ text, sequence, smallRows }: Dialect): string[] {
  return [
    `create table if not exists glassloop_meta (name ${text} primary key, value ${text} not null)`,
    `insert into glassloop_meta (name, value) values ('version', '${VERSION}') on conflict do nothing`,
    `create table if not exists glassloop_threads (id ${text} primary key, created_at ${text} not null,
      updated_at ${text} not null, title ${text}, last_question ${text}, turns integer not null, graph ${text},
      state_version integer, pruned integer not null default 0, settings ${text})`,
    `create table if not exists glassloop_checkpoints (sequence ${sequence}, thread ${text} not null,
      namespace ${text} not null, id ${text} not null, parent ${text}, shape ${text} not null, body ${text} not null,
      metadata ${text} not null, unique (thread, namespace, id))`,
    `create index if not exists glassloop_checkpoints_by_sequence
      on glassloop_checkpoints (thread, namespace, sequence)`,
    `create table if not exists glassloop_versions (thread ${text} not null, namespace ${text} not null,
      channel ${text} not null, version double precision not null, base double precision, body ${text} not null,
      primary key (thread, namespace, version, channel))${smallRows}`,
    `create table if not exists glassloop_items (thread ${text} not null, hash ${text} not null, type ${text} not null,
      content ${text} not null, primary key (thread, hash))`,
    `create table if not exists glassloop_texts (thread ${text} not null, hash ${text} not null, folded ${text} not null,
      primary key (thread, hash))`,
    `create table if not exists glassloop_writes (thread ${text} not null, namespace ${text} not null,
      checkpoint ${text} not null, task ${text} not null, position integer not null, body ${text} not null,
      primary key (thread, namespace, checkpoint, task, position))${smallRows}`,
    `create table if not exists glassloop_guards (thread ${text} primary key, owner ${text} not null,
      holder ${text} not null, host ${text} not null, pid integer not null, started ${text} not null,
      renewed_at double precision not null, interrupted integer not null default 0)`,
  ];
}

/** The tables that hold rows of a thread, in a column named `thread`. */
export const threadTables = [
  "glassloop_checkpoints",
  "glassloop_versions",
  "glassloop_items",
  "glassloop_texts",
  "glassloop_writes",
  "glassloop_guards",
] as const;
