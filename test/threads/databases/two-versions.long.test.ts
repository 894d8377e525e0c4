import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { bundledProgram } from "../../../bench/bundled-program.mjs";
import { sharedPostgres } from "../../helpers/postgres.js";
import { querySqlite } from "../../helpers/query-sqlite.js";
import { lastingDatabases, postgres, type TestDatabaseKind } from "../../matrix/databases.js";
import { openAsNewer, wider } from "../versions.js";

const program = await bundledProgram(new URL("../fixtures/versions.mjs", import.meta.url));

/** What a process says: that it opened the database, or how many questions were answered, and the error that ended it. */
interface Said {
  readonly opened?: true;
  readonly answered?: number;
  readonly failed?: string;
}

async function next(child: ChildProcess): Promise<Said> {
  const [said] = await once(child, "message");
  return said;
}

/** Starts a process with these statements as the second version; without them of the first version. */
function start(url: string, statements: readonly string[] = []): ChildProcess {
  const child = fork(program, [url, ...statements]);
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  return child;
}

async function opened(url: string, statements?: readonly string[]): Promise<ChildProcess> {
  const child = start(url, statements);
  expect(await next(child)).toEqual({ opened: true });
  return child;
}

function ask(child: ChildProcess, id: string, most = 1): Promise<Said> {
  child.send({ id, most });
  return next(child);
}

async function createUrl(kind: TestDatabaseKind): Promise<string> {
  const database = await kind.create();
  onTestFinished(() => database.remove());
  return database.url;
}

/** What is different between the databases: a statement that takes its time, and how to see that it runs. */
const slow = {
  SQLite: {
    statement:
      "with recursive n (i) as (select 1 union all select i + 1 from n where i < 2000000) select count(*) from n",
    isRunning: (url: string) =>
      querySqlite(url.slice("sqlite:".length), "pragma busy_timeout = 0", "begin immediate", "rollback").then(
        () => false,
        () => true,
      ),
  },
  Postgres: {
    statement: "select pg_sleep(0.7)",
    isRunning: async () =>
      (await sharedPostgres().query("select 1 from pg_stat_activity where query = 'select pg_sleep(0.7)'")).length > 0,
  },
};

async function untilRunning(isRunning: (url: string) => Promise<boolean>, url: string): Promise<void> {
  while (!(await isRunning(url))) await sleep(20);
}

describe.each(lastingDatabases)("two versions on one database in $name", (kind) => {
  const { statement, isRunning } = kind.name === "SQLite" ? slow.SQLite : slow.Postgres;
  const slowly = [wider[0] ?? "", statement, ...wider.slice(1)];

  test("lose no turn, while the older one writes and the newer one changes the tables", async () => {
    const url = await createUrl(kind);
    const older = await opened(url);
    expect(await ask(older, "before")).toEqual({ answered: 1 });
    const other = await opened(url);
    const asked = [ask(older, "a", 10_000), ask(other, "b", 10_000)];
    await sleep(500);
    const newer = await opened(url, slowly);
    const said = await Promise.all(asked);
    expect(said).toEqual(Array(2).fill({ answered: expect.any(Number), failed: "NewerDatabaseError" }));
    const threads = await openAsNewer(url, wider);
    for (const [index, id] of ["a", "b"].entries()) {
      const { turns } = await threads.history(id);
      const answered = turns.filter((turn) => turn.answer === "Hello!");
      expect(answered.length).toBe(said[index]?.answered);
      expect(await ask(newer, id)).toEqual({ answered: 1 });
    }
    expect(await ask(older, "before")).toEqual({ answered: 0, failed: "NewerDatabaseError" });
    expect(await threads.get("before")).toMatchObject({ turns: 1, status: "idle" });
  });

  test("find the tables whole if the newer one is killed in the middle of its change", async () => {
    const refused = { answered: 0, failed: "NewerDatabaseError" };
    const url = await createUrl(kind);
    const older = await opened(url);
    expect(await ask(older, "t")).toEqual({ answered: 1 });
    const killed = start(url, slowly);
    await untilRunning(isRunning, url);
    killed.kill("SIGKILL");
    // The server of Postgres has all statements of the change, and ends it.
    const isChanged = kind.name === "Postgres";
    expect(await ask(older, "t")).toEqual(isChanged ? refused : { answered: 1 });
    const newer = await opened(url, wider);
    expect(await ask(older, "t")).toEqual(refused);
    expect(await ask(newer, "t")).toEqual({ answered: 1 });
    const threads = await openAsNewer(url, wider);
    expect(await threads.get("t")).toMatchObject({ turns: isChanged ? 2 : 3, status: "idle" });
  });

  test("change the tables once if several newer ones start together, also on a new database", async () => {
    for (const isNew of [false, true]) {
      const url = await createUrl(kind);
      if (!isNew) await opened(url);
      const newer = [1, 2].map(() => start(url, slowly));
      expect(await Promise.all(newer.map(next))).toEqual(Array(2).fill({ opened: true }));
      for (const child of newer) expect(await ask(child, "t")).toEqual({ answered: 1 });
      expect(await next(start(url))).toEqual({ failed: "NewerDatabaseError" });
    }
  });
});

test("An older version that waits for the change writes nothing, even if the default isolation is serializable", async () => {
  const url = await createUrl(postgres);
  const address = new URL(url);
  const options = `-c default_transaction_isolation=serializable ${address.searchParams.get("options")}`;
  address.searchParams.set("options", options);
  const strict = address.href.replaceAll("+", "%20");
  const older = await opened(strict);
  expect(await ask(older, "t")).toEqual({ answered: 1 });
  const asked = ask(older, "t", 10_000);
  const newer = await opened(strict, [slow.Postgres.statement, ...wider]);
  const { answered = 0, failed } = await asked;
  expect(failed).toBe("NewerDatabaseError");
  const threads = await openAsNewer(url, wider);
  expect((await threads.history("t")).turns.filter(({ answer }) => answer === "Hello!")).toHaveLength(answered + 1);
  expect(await ask(newer, "t")).toEqual({ answered: 1 });
});
