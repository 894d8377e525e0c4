import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Statement, statementOf } from "../../../src/threads/databases/database.js";
import { openPostgres } from "../../../src/threads/databases/postgres.js";
import { inOneMessage } from "../../../src/threads/databases/postgres-batch.js";
import { sharedPostgres } from "../../helpers/postgres.js";
import { startPooler } from "../../helpers/postgres-pooler.js";

const server = sharedPostgres();

/** The address of an empty schema, which is removed after the test. */
async function createUrl(): Promise<string> {
  const { url, remove } = await server.createSchema();
  onTestFinished(remove);
  return url;
}

const insert = (text: string): Statement => ({
  sql: "insert into texts (text) values ($1) returning text",
  parameters: [text],
});
const table = statementOf("create table texts (text text primary key)");
const known = statementOf("select statement from pg_prepared_statements where statement like 'insert into texts%'");

describe("a batch", () => {
  test("sends a statement once over a connection, however often it is used, and returns the rows of each", async () => {
    const database = await openPostgres(await createUrl());
    const rows = await database.batch([table, insert("a"), insert("b"), known]);
    expect(rows).toEqual([[], [{ text: "a" }], [{ text: "b" }], [{ statement: insert("").sql }]]);
    await database.close();
  });

  test("works after one that failed, with the statements that the server knows and those that it does not", async () => {
    const database = await openPostgres(await createUrl());
    const run = (texts: readonly string[]) => database.batch(texts.map(statementOf));
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

  test("runs nothing after a statement that fails, even if that is the one that begins the transaction", async () => {
    const client = new pg.Client(await createUrl());
    await client.connect();
    await inOneMessage(client, [table], true);
    const begun = inOneMessage(client, [statementOf("begin isolation level any"), insert("never")], true);
    await expect(begun).rejects.toThrow("syntax error");
    expect(await inOneMessage(client, [statementOf("select text from texts")], true)).toEqual([[]]);
    await client.end();
  });

  test("leaves no statement behind with a pooler, which gives each transaction any session", async () => {
    const pooler = await startPooler(await createUrl());
    const database = await openPostgres(pooler.url);
    await database.batch([table]);
    for (let text = 0; text < 4; text += 1) await database.batch([insert(`${text}`)]);
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
    const change = (sql: string) => database.batch([statementOf(sql)]);
    await expect(ask()).rejects.toThrow("texts");
    await change("create table texts (text text)");
    await change("insert into texts values ('a')");
    expect(await ask()).toEqual([{ text: "a" }]);
    await change("alter table texts add column more integer");
    expect(await ask()).toEqual([{ text: "a" }]);
    await database.close();
  });
});
