import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { PostgresBatch } from "../../src/postgres/postgres-batch.js";
import { openPostgres } from "../../src/threads/databases/postgres.js";
import { sharedPostgres } from "../helpers/postgres.js";
import { startPooler } from "../helpers/postgres-pooler.js";

const server = sharedPostgres();

/** The address of an empty schema, which is removed after the test. */
async function createUrl(): Promise<string> {
  const { url, remove } = await server.createSchema();
  onTestFinished(remove);
  return url;
}

/** A connection with an empty table of texts. */
async function openTable() {
  const client = new pg.Client(await createUrl());
  await client.connect();
  await client.query("create table texts (text text primary key)");
  return {
    insert: (texts: readonly string[], hasSession = true) => {
      const statements = texts.map((text) => ({ sql: insert, parameters: [text] }));
      return client.query(new PostgresBatch(statements, hasSession)).done;
    },
    texts: async () => (await client.query<{ text: string }>("select text from texts order by text")).rows,
    known: async () => (await client.query<{ statement: string }>("select statement from pg_prepared_statements")).rows,
    [Symbol.asyncDispose]: () => client.end(),
  };
}

const insert = "insert into texts (text) values ($1)";

describe("a batch", () => {
  test("sends a statement once over a connection, however often it is used", async () => {
    await using table = await openTable();
    await table.insert(["a", "b"]);
    await table.insert(["c"]);
    expect(await table.texts()).toEqual([{ text: "a" }, { text: "b" }, { text: "c" }]);
    expect(await table.known()).toEqual([{ statement: insert }]);
  });

  test("works after one that failed, with the statements that the server knows and those that it does not", async () => {
    const database = await openPostgres(await createUrl());
    const run = (texts: readonly string[]) => database.batch(texts.map((sql) => ({ sql, parameters: [] })));
    await run(["create table texts (text text primary key)"]);
    const after = "insert into texts values ('after')";
    await expect(run([after, "select 1 / 0", "insert into texts values ('never')"])).rejects.toThrow(
      "division by zero",
    );
    await run([after, "insert into texts values ('never')"]);
    const texts = await database.all("select text from texts order by text");
    expect(texts).toEqual([{ text: "after" }, { text: "never" }]);
    await database.close();
  });

  test("leaves no statement behind if the connection has no session of its own", async () => {
    await using table = await openTable();
    await table.insert(["a"], false);
    await table.insert(["b"], false);
    expect(await table.texts()).toEqual([{ text: "a" }, { text: "b" }]);
    expect(await table.known()).toEqual([]);
  });

  test("works again and again through a pooler, which gives each transaction any session", async () => {
    const pooler = await startPooler(await createUrl());
    const database = await openPostgres(pooler.url);
    await database.batch([{ sql: "create table texts (text text primary key)", parameters: [] }]);
    for (let text = 0; text < 4; text += 1) await database.batch([{ sql: insert, parameters: [`${text}`] }]);
    for (let time = 0; time < 4; time += 1) expect(await database.all("select text from texts")).toHaveLength(4);
    expect(await database.all(ownName)).toEqual([]);
    await database.close();
    await pooler.close();
  });
});

/** A query that finds itself among the queries that the session knows. */
const ownName = "select name from pg_prepared_statements where statement like '%pg_prepared_statements%'";

describe("a query", () => {
  test("has one name on a connection, however often it is asked", async () => {
    const database = await openPostgres(await createUrl());
    expect(await database.all(ownName)).toHaveLength(1);
    expect(await database.all(ownName)).toHaveLength(1);
    await database.close();
  });

  test("is asked again after it failed, and after its table changed", async () => {
    const database = await openPostgres(await createUrl());
    const ask = () => database.all("select text from texts");
    const change = (sql: string) => database.batch([{ sql, parameters: [] }]);
    await expect(ask()).rejects.toThrow("texts");
    await change("create table texts (text text)");
    await change("insert into texts values ('a')");
    expect(await ask()).toEqual([{ text: "a" }]);
    await change("alter table texts add column more integer");
    expect(await ask()).toEqual([{ text: "a" }]);
    await database.close();
  });
});
