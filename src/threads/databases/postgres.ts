import { ThreadsDatabaseError } from "../../base/errors.js";
import { prepared } from "../../base/prepared.js";
import { postgresAddress } from "../../postgres/postgres-address.js";
import { wasUndone } from "../../postgres/postgres-error.js";
import { PostgresPool } from "../../postgres/postgres-pool.js";
import { usualLimits } from "../../postgres/time-limits.js";
import { type Database, type Listening, type Statement, statementOf } from "./database.js";
import { groupCommit } from "./group-commit.js";
import { inOneMessage } from "./postgres-batch.js";
import { openSession } from "./postgres-session.js";
import { schemaOf, schemaVersions, threadTables, versionQuery } from "./schema.js";

/**
 * Opens a Postgres database over a pool of connections. Makes the tables, or migrates them to the newest version, once, even
 * if several processes start together. The names of the tables begin with `glassloop_`, and they are in the first schema of
 * the connection's search path.
 *
 * @param url `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, with the options that the `pg` package knows.
 * @throws ThreadsDatabaseError if the database cannot be reached or used.
 */
export async function openPostgres(url: string, limits = usualLimits, versions = schemaVersions): Promise<Database> {
  const address = postgresAddress(url);
  const { place } = address;
  const pool = new PostgresPool(address, limits);
  const alone = new PostgresPool(address, limits, { max: 1, idleTimeoutMillis: 0 });
  const close = async () => void (await Promise.all([pool.close(), alone.close()]));
  const schema = schemaOf(versions);
  let listen: Listening | undefined;

  const send = (statements: readonly Statement[]) =>
    pool.run((client) => inOneMessage(client, statements, listen !== undefined));

  /** Returns 0 if there are no tables. @throws ThreadsDatabaseError if the database is newer, or cannot keep every text. */
  async function readVersion(): Promise<number> {
    const [[found] = []] = await send([tablesQuery]);
    if (found?.encoding !== "UTF8") throw new ThreadsDatabaseError(place, otherEncoding(found?.encoding));
    if (found.known !== true) return 0;
    const [rows = []] = await send([statementOf(versionQuery)]);
    return schema.versionIn(place, rows);
  }

  // The first of these locks belongs to the process that makes or changes the tables. The second one waits for the
  // transactions that have passed the fence. Those that reach it meanwhile wait for the new version.
  const change = (from: number) =>
    send([begin, onlyOne, ...(from > 0 ? [lockMeta] : []), ...schema.changes(from), end]);

  /** If the server refuses the statements, and the tables are of a newer version by now, that is why. */
  const run = (statements: readonly Statement[]) =>
    send(statements).catch(async (error: unknown) => {
      if (wasUndone(error)) await readVersion();
      throw error;
    });

  const commit = async (statements: readonly Statement[]) =>
    (await run([begin, schema.fence, ...statements, end])).slice(2, -1);
  const commitGrouped = groupCommit(commit, wasUndone);

  await prepared({ close }, async () => {
    await schema.migrate(await readVersion(), change, readVersion);
    listen = await openSession(pool, alone);
  });
  return {
    place,
    size,
    hasManyWriters: true,
    ...(listen && { listen }),
    async all(sql, parameters = []) {
      const [rows = []] = await run([{ sql, parameters }]);
      return rows;
    },
    async batch(statements, { always = false, reading = false, grouped = false } = {}) {
      if (statements.length === 0) return [];
      if (grouped) return commitGrouped(statements);
      if (!always && !reading) return commit(statements);
      return (await run([reading ? beginReading : begin, ...statements, end])).slice(1, -1);
    },
    async checkVersion() {
      await readVersion();
    },
    close,
  };
}

const tablesQuery = statementOf(`select current_setting('server_encoding') as encoding,
  exists (select 1 from pg_class where oid = to_regclass('glassloop_meta')) as known`);

const otherEncoding = (encoding: unknown) =>
  `its encoding is ${encoding}, which cannot keep every text. Make another database (createdb -E UTF8 -T template0), and ` +
  "give its address.";

const size = `(select cast(sum(pg_total_relation_size(cast(name as regclass))) as double precision)
  from unnest(array['glassloop_threads', '${threadTables.join("', '")}']) name)`;

/** Each statement reads what others have committed before it, such as a new version, whatever is usual for the user. */
const begin = statementOf("begin isolation level read committed");
const beginReading = statementOf("begin isolation level repeatable read read only");
const end = statementOf("commit");

/** A lock that ends with the transaction. Its number is the application's own: "GLSP". */
const onlyOne = statementOf(`select pg_advisory_xact_lock(${0x474c5350})`);
const lockMeta = statementOf("lock table glassloop_meta in access exclusive mode");
