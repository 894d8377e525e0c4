import { ThreadsDatabaseError } from "../../base/errors.js";
import { type Dialect, SCHEMA_VERSION, tables } from "./schema.js";

/**
 * The statements that change the tables of each version into those of the next one. New tables need none, because all
 * missing tables are made anyway.
 */
const steps: Readonly<Record<number, (dialect: Dialect) => readonly string[]>> = {
  1: ({ text }) => [
    `alter table glassloop_threads add column graph ${text}`,
    "alter table glassloop_threads add column state_version integer",
    "alter table glassloop_threads add column pruned integer not null default 0",
    "insert into glassloop_meta (name, value) values ('search_index', 'missing') on conflict do nothing",
  ],
  2: (dialect) => [
    "drop index if exists glassloop_threads_by_update",
    "alter table glassloop_checkpoints rename to glassloop_checkpoints_2",
    ...tables(dialect),
    `insert into glassloop_checkpoints (thread, namespace, id, parent, shape, body, metadata)
      select c.thread, c.namespace, c.id, c.parent, c.shape, c.body, c.metadata from glassloop_checkpoints_2 c
      left join glassloop_threads t on t.id = c.thread order by t.updated_at, t.id, c.id, c.namespace`,
    "drop table glassloop_checkpoints_2",
  ],
  // Rows may name long texts now. The rows of before stay as they are.
  3: () => [],
  4: ({ text }) => [`alter table glassloop_threads add column settings ${text}`],
};

/**
 * Returns the statements that bring the tables of an older version to this version; none if they have it. Run them as
 * one transaction.
 *
 * @param place The database, as errors name it.
 * @param version The value that `schemaVersionQuery` returned.
 * @throws ThreadsDatabaseError if the tables are of a newer version or of an unknown one.
 */
export function migration(place: string, version: string | undefined, dialect: Dialect): string[] {
  const from = Number(version);
  if (from === SCHEMA_VERSION) return [];
  const path = Array.from({ length: SCHEMA_VERSION - from }, (_, index) => steps[from + index]);
  if (!Number.isSafeInteger(from) || path.length === 0 || path.includes(undefined))
    throw unknownVersion(place, version);
  return [
    ...path.flatMap((step) => step?.(dialect) ?? []),
    ...tables(dialect),
    `update glassloop_meta set value = '${SCHEMA_VERSION}' where name = 'schema_version'`,
  ];
}

function unknownVersion(place: string, version: string | undefined): ThreadsDatabaseError {
  return new ThreadsDatabaseError(
    place,
    `its tables are of version ${version ?? "unknown"}, and this Glassloop knows versions up to ${SCHEMA_VERSION}. ` +
      "Open it with the version of Glassloop that wrote it, or a newer one.",
  );
}
