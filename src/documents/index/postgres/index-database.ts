import { z } from "zod";
import { DocumentSearchError } from "../../../base/errors.js";
import { messageOf } from "../../../base/message-of.js";
import type { PostgresCell, PostgresStatement } from "../../../postgres/postgres-batch.js";
import type { PostgresClient } from "../../../postgres/postgres-client.js";
import { inTransaction, PostgresServer } from "../../../postgres/postgres-server.js";
import { layout, layoutVersion, vectorLayout } from "./layout.js";

const tablesRow = z.object({ settings: z.boolean(), vectors: z.boolean() });
const tablesQuery = `select to_regclass('glassloop_document_settings') is not null as settings,
  to_regclass('glassloop_vectors') is not null as vectors`;
const valueRow = z.object({ value: z.string() });
const versionQuery = "select value from glassloop_document_settings where name = 'version'";

/** A batch of documents waits for those of other machines, and may itself take seconds. */
const limits = { connectTimeoutMs: 10_000, lockTimeoutMs: 50_000, queryTimeoutMs: 60_000 };

/** The lock of all who write to an index. It ends with the transaction. Its number is the application's own: "GLSD". */
const onlyOne = `select pg_advisory_xact_lock(${0x47_4c_53_44})`;
const snapshot = "begin isolation level repeatable read read only";

/** Runs a query, and returns its rows. */
export type Ask = (sql: string, ...parameters: PostgresCell[]) => Promise<unknown[]>;

/** The tables of an index in a Postgres database. All failures of the server become errors that say what to do. */
export class IndexDatabase {
  /** Opens the tables, and makes those that do not exist. They are made once, even if several processes begin together. */
  static async open(url: string, hasVectors: boolean): Promise<IndexDatabase> {
    const server = new PostgresServer(url, limits, failure);
    try {
      const missing = (client: PostgresClient) => missingTables(client, server.place, hasVectors);
      if ((await server.run(missing)).length > 0) {
        // A new connection: one that missed the tables before may not see at once that another process has made them.
        await server.runAlone((client) =>
          inTransaction(client, "begin", async () => {
            await client.query(onlyOne);
            for (const sql of await missing(client)) await client.query(sql);
          }).catch((error: unknown) => {
            throw hasVectors && isWithoutVectors(error) ? noVectors(server.place, error) : error;
          }),
        );
      }
      return new IndexDatabase(server);
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  private constructor(private readonly server: PostgresServer) {}

  /** Returns the rows of a query. */
  read(sql: string, ...parameters: PostgresCell[]): Promise<unknown[]> {
    return this.server.run((client) => askOf(client)(sql, ...parameters));
  }

  /** Runs queries on one state of the index. */
  readTogether<T>(action: (ask: Ask) => Promise<T>): Promise<T> {
    return this.server.run((client) => inTransaction(client, snapshot, () => action(askOf(client))));
  }

  /** Runs statements as one transaction. Those of other processes come before or after all of them. */
  write(...statements: readonly PostgresStatement[]): Promise<void> {
    return this.server.run((client) =>
      inTransaction(client, "begin isolation level read committed", async () => {
        await client.query(onlyOne);
        for (const { sql, parameters } of statements) await client.query(sql, [...parameters]);
      }),
    );
  }

  close(): Promise<void> {
    return this.server.close();
  }
}

function askOf(client: PostgresClient): Ask {
  return async (sql, ...parameters) => (await client.query<Record<string, unknown>>(sql, parameters)).rows;
}

/** Returns the statements that the tables still need. */
async function missingTables(client: PostgresClient, place: string, hasVectors: boolean): Promise<readonly string[]> {
  const ask = askOf(client);
  const [tables] = z.array(tablesRow).parse(await ask(tablesQuery));
  const [version] = tables?.settings ? z.array(valueRow).parse(await ask(versionQuery)) : [{ value: layoutVersion }];
  if (version?.value !== layoutVersion) {
    throw failure(place, "it is of another version of Glassloop. Give the address of another database.");
  }
  return [...(tables?.settings ? [] : layout), ...(hasVectors && !tables?.vectors ? vectorLayout : [])];
}

/** Tells whether the server has no pgvector, does not let this user install it, or has it outside of the search path. */
function isWithoutVectors(error: unknown): boolean {
  return error instanceof Error && "code" in error && ["0A000", "58P01", "42501", "42704"].includes(String(error.code));
}

function noVectors(place: string, cause: unknown): DocumentSearchError {
  return failure(
    place,
    `vectors need the extension pgvector: ${messageOf(cause)}. Install it, and run "create extension vector" in a ` +
      "schema of the user's search path. Without embeddings, documents are found by their words.",
    cause,
  );
}

function failure(place: string, reason: string, cause?: unknown): DocumentSearchError {
  return new DocumentSearchError(place, `the index "${place}": ${reason}`, { cause });
}
