import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ThreadError, ThreadsDatabaseError } from "../../../src/base/errors.js";
import { wasUndone } from "../../../src/postgres/postgres-error.js";
import { change, type Database, type Statement } from "../../../src/threads/databases/database.js";
import { groupCommit } from "../../../src/threads/databases/group-commit.js";
import { openPostgres } from "../../../src/threads/databases/postgres.js";
import { ThreadGuard } from "../../../src/threads/guard/guard.js";
import { openThreads } from "../../../src/threads/open.js";
import { coded } from "../../helpers/coded.js";
import { type OwnPostgres, startPostgres } from "../../helpers/postgres.js";
import { agentOn, answer } from "../agents.js";

let server: OwnPostgres;
let url: string;
let database: Database;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());
beforeEach(async () => {
  ({ url } = await server.createSchema());
  database = await openPostgres(url);
  await database.batch([sql("create table texts (text text primary key)")]);
});
afterEach(() => database.close());

const sql = (sql: string): Statement => ({ sql, parameters: [] });
const insert = (text: string): Statement => ({ sql: "insert into texts values ($1)", parameters: [text] });
const numbers = Array.from({ length: 40 }, (_, index) => `${index}`);
const commit = (...statements: Statement[]) => database.batch(statements, { grouped: true });
const failures = (ends: PromiseSettledResult<unknown>[]): unknown[] =>
  ends.flatMap((end, index) => (end.status === "rejected" ? [[index, end.reason]] : []));

async function texts(): Promise<unknown[]> {
  return (await database.all("select text from texts order by text::int")).map(({ text }) => text);
}

/** Locks what `waitHere` waits for, until the function that it returns is called. */
async function closeGate(): Promise<() => Promise<void>> {
  const gate = new pg.Client(server.url);
  await gate.connect();
  await gate.query("select pg_advisory_lock(7)");
  return () => gate.end();
}
const waitHere = sql("select pg_advisory_xact_lock_shared(7)");

describe("transactions that arrive together", () => {
  it("share one commit", async () => {
    await Promise.all(numbers.map((text) => commit(insert(text))));
    expect(await texts()).toEqual(numbers);
    expect(await database.all("select count(distinct xmin::text) as commits from texts")).toEqual([{ commits: 1 }]);
  });

  it("of runs that hold their threads share commits, too", async () => {
    await using threads = await openThreads(url);
    const agent = agentOn(threads, ...numbers.map(() => answer("done")));
    await Promise.all(
      numbers.map((thread_id) => agent.invoke({ messages: "q" }, { configurable: { thread_id }, durability: "sync" })),
    );
    const [stored] = await database.all(
      "select count(*) as rows, count(distinct xmin::text) as commits from glassloop_checkpoints",
    );
    expect(stored?.commits).toBeLessThan(Number(stored?.rows) / 4);
  });

  it("stay alone without a lease, because others may write to the thread meanwhile", async () => {
    const guard = new ThreadGuard(database);
    await Promise.all(numbers.map((thread) => guard.write(thread, undefined, [insert(thread)], { grouped: true })));
    expect(await database.all("select count(distinct xmin::text) as commits from texts")).toEqual([{ commits: 40 }]);
  });

  it("make groups up to a size limit", async () => {
    const padded = (text: string): Statement => ({
      sql: "insert into texts values (rtrim($1))",
      parameters: [text.padEnd(33_000)],
    });
    await Promise.all(numbers.slice(0, 9).map((text) => commit(padded(text))));
    expect(await texts()).toEqual(numbers.slice(0, 9));
    expect(await database.all("select count(distinct xmin::text) as commits from texts")).toEqual([{ commits: 3 }]);
  });

  it("neither wait for a large transaction nor delay it", async () => {
    const openGate = await closeGate();
    const order: string[] = [];
    const waiting = ["1", "2", "3"].map((text) => commit(waitHere, insert(text)).then(() => order.push(text)));
    await commit({ sql: "insert into texts values (length($1))", parameters: ["x".repeat(100_001)] });
    order.push("large");
    await openGate();
    await Promise.all(waiting);
    expect(order[0]).toBe("large");
    expect(await texts()).toEqual(["1", "2", "3", "100001"]);
  });

  it("are refused alone if their run has lost its thread", async () => {
    const guard = new ThreadGuard(database);
    const holds = await Promise.all(numbers.map((thread) => guard.take(thread)));
    await change(database, "update glassloop_guards set owner = 'thief' where thread = '20'");
    const ends = await Promise.allSettled(
      holds.map(({ thread, owner }) => guard.write(thread, owner, [insert(thread)], { grouped: true })),
    );
    expect(failures(ends)).toEqual([[20, coded(ThreadError, "thread-taken-over")]]);
    expect(await texts()).toEqual(numbers.filter((text) => text !== "20"));
    await guard.close();
  });
});

describe("transactions whose group fails", () => {
  const refused = new Error("refused");
  const lost = new Error("the connection was lost");

  /** Commits five numbers at once. Each transaction that holds the 3 fails. */
  async function commitFive(error: Error) {
    const tried: string[][] = [];
    const commit = groupCommit(
      async (statements) => {
        tried.push(statements.map(({ sql }) => sql));
        await Promise.resolve();
        if (statements.some(({ sql }) => sql === "3")) throw error;
        return statements.map(({ sql }) => [{ sql }]);
      },
      (error) => error === refused,
    );
    const ends = await Promise.allSettled(["0", "1", "2", "3", "4"].map((text) => commit([sql(text)])));
    await commit([sql("3")]).catch(() => undefined);
    return { tried, stored: ends.map((end) => (end.status === "fulfilled" ? end.value : "failed")) };
  }

  const rowsOf = (sql: string) => [[{ sql }]];

  it("run again, each alone, if the database did nothing", async () => {
    expect(await commitFive(refused)).toEqual({
      tried: [["0", "1", "2", "3", "4"], ["0"], ["1"], ["2"], ["3"], ["4"], ["3"]],
      stored: [...["0", "1", "2"].map(rowsOf), "failed", rowsOf("4")],
    });
  });

  it("do not run again if it is unknown whether they are stored", async () => {
    expect(await commitFive(lost)).toEqual({
      tried: [["0", "1", "2", "3", "4"], ["3"]],
      stored: ["failed", "failed", "failed", "failed", "failed"],
    });
  });
});

it("a transaction counts as rolled back only if the server answered so", () => {
  const answer = (code: string) => Object.assign(new pg.DatabaseError("no", 2, "error"), { code });
  expect(wasUndone(answer("23505"))).toBe(true);
  expect(wasUndone(new ThreadsDatabaseError("postgres:", "no", { cause: answer("55P03") }))).toBe(true);
  // The server ended the connection.
  expect(wasUndone(answer("57P01"))).toBe(false);
  expect(wasUndone(new Error("Connection terminated unexpectedly"))).toBe(false);
});
