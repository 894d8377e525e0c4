import { onTestFinished } from "vitest";
import { usualLimits } from "../../src/postgres/time-limits.js";
import { ThreadCheckpointer } from "../../src/threads/checkpoints/checkpointer.js";
import { openPostgres } from "../../src/threads/databases/postgres.js";
import { type SchemaVersion, schemaVersions } from "../../src/threads/databases/schema.js";
import { openSqlite } from "../../src/threads/databases/sqlite.js";
import { type Threads, threadsOf } from "../../src/threads/threads.js";

/** A second version of the tables, as a newer Glassloop could have it: a column, a table and an index more. */
export const wider: SchemaVersion = [
  "alter table glassloop_threads add column language text",
  "create table glassloop_labels (thread text not null, label text not null, primary key (thread, label))",
  "create index glassloop_labels_by_label on glassloop_labels (label)",
];

/** Another one, whose rows hold other texts. */
export const recoded: SchemaVersion = [
  "update glassloop_checkpoints set body = 'recoded:' || body",
  "update glassloop_versions set body = 'recoded:' || body",
  "update glassloop_items set content = 'recoded:' || content",
];

/** Another one, with columns of other names. */
export const renamed: SchemaVersion = [
  "alter table glassloop_threads rename column title to heading",
  "alter table glassloop_checkpoints rename column body to versions",
  "alter table glassloop_items rename column content to json",
];

/** Opens the threads of a database as a Glassloop does that has this second version of the tables. */
export async function openAsNewer(url: string, second: SchemaVersion): Promise<Threads> {
  const versions = [...schemaVersions, second];
  const database = url.startsWith("sqlite:")
    ? await openSqlite(url.slice("sqlite:".length), versions)
    : await openPostgres(url, usualLimits, versions);
  const threads = threadsOf(database, new ThreadCheckpointer(database));
  onTestFinished(() => threads.close());
  return threads;
}
