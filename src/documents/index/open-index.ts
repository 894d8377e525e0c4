import { isPostgresAddress } from "../../postgres/postgres-address.js";
import type { DocumentIndex } from "./document-index.js";
import { SqliteIndex } from "./sqlite/sqlite-index.js";

/**
 * Opens an index, and makes it if it does not exist.
 *
 * @param place The path of a SQLite file, which only its owner can read; ":memory:"; or the address of a Postgres database.
 * @param hasVectors True for an index that is also searched by meaning.
 * @throws {DocumentSearchError} if the place cannot be used. Nothing in it is changed in that case.
 */
export async function openIndex(place: string, hasVectors: boolean): Promise<DocumentIndex> {
  if (!isPostgresAddress(place)) return SqliteIndex.open(place, hasVectors);
  // The driver takes time to load.
  const { PostgresIndex } = await import("./postgres/postgres-index.js");
  return PostgresIndex.open(place, hasVectors);
}
