import { randomUUID } from "node:crypto";
import type { Database } from "../databases/database.js";

/** The size of what is written: more than a free rest of a page. */
const SIZE = 16_384;

/** Writes something to a database, and takes it away again. @throws ThreadsDatabaseError if that is not possible */
export async function testWriting(database: Database): Promise<void> {
  const name = `test:${randomUUID()}`;
  await database.batch([
    { sql: "insert into glassloop_meta (name, value) values ($1, $2)", parameters: [name, "-".repeat(SIZE)] },
    { sql: "delete from glassloop_meta where name = $1", parameters: [name] },
  ]);
}
