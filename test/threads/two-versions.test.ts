import { EventEmitter, once } from "node:events";
import { describe, expect, test } from "vitest";
import { NewerDatabaseError, ThreadInUseError, ThreadsDatabaseError } from "../../src/base/errors.js";
import { threadTables } from "../../src/threads/databases/schema.js";
import { openThreads, type Threads } from "../../src/threads/open.js";
import { lastingDatabases, sqlite } from "../matrix/databases.js";
import { matrix } from "../matrix/matrix.js";
import { agentOn, answer } from "./agents.js";
import { allOf, at, checkpointerOf, openKind } from "./open-kind.js";
import { openAsNewer, recoded, renamed, wider } from "./versions.js";

/** All rows of a database. */
function contentOf(threads: Threads) {
  const tables = ["glassloop_meta", "glassloop_threads", ...threadTables];
  const queries = tables.map((table) => ({ sql: `select * from ${table} order by 1, 2, 3`, parameters: [] }));
  return checkpointerOf(threads).database.batch(
    queries.with(0, { sql: "select * from glassloop_meta", parameters: [] }),
    { reading: true },
  );
}

describe.each(matrix(lastingDatabases, sqlite))("a database in $name that a newer version changed", (kind) => {
  test("is no longer written by an older one that has it open", async () => {
    const { threads: older, url } = await openKind(kind);
    const agent = agentOn(older, answer("Hello!"));
    await agent.invoke({ messages: "Say hello" }, at("t"));
    const [{ steps = [] } = {}] = (await older.history("t")).turns;
    const newer = await openAsNewer(url, wider);
    const before = await contentOf(newer);
    await using target = await openThreads("memory:");
    for (const attempt of [
      () => agent.invoke({ messages: "And now?" }, at("t")),
      () => agent.invoke({ messages: "And here?" }, at("other")),
      () => agent.updateState(at("t"), { answer: "mine" }, "parse"),
      () => checkpointerOf(older).deleteThread("t"),
      () => older.fork("t", steps.at(-1)?.checkpoint ?? "", "fork"),
      () => older.prune({ keepTurns: 0 }),
      () => older.delete("t"),
      () => older.copy("t", target),
      () => allOf(older.export("t")),
      () => openThreads(url),
    ]) {
      await expect(attempt()).rejects.toThrow(NewerDatabaseError);
    }
    expect(await contentOf(newer)).toEqual(before);
    await agentOn(newer, answer("Hello!")).invoke({ messages: "And now?" }, at("t"));
    expect(await newer.get("t")).toMatchObject({ turns: 2, status: "idle" });
    expect(await older.get("t")).toMatchObject({ turns: 2, status: "idle" });
  });

  test("stops a run of an older one, which holds its thread until then, at its next write", async () => {
    const { threads: older, url } = await openKind(kind);
    const events = new EventEmitter();
    const asked = once(events, "asked");
    const agent = agentOn(older, async () => {
      const goOn = once(events, "go on");
      events.emit("asked");
      await goOn;
      return answer("Hello!");
    });
    const run = agent.invoke({ messages: "Say hello" }, at("t"));
    await asked;
    const newer = await openAsNewer(url, wider);
    const newerAgent = agentOn(newer, answer("Hello!"));
    await expect(newerAgent.invoke(null, at("t"))).rejects.toThrow(ThreadInUseError);
    events.emit("go on");
    await expect(run).rejects.toThrow(NewerDatabaseError);
    expect((await newerAgent.invoke(null, at("t"))).answer).toBe("Hello!");
    expect(await newer.get("t")).toMatchObject({ turns: 1, status: "idle", lastQuestion: "Say hello" });
  });

  test.each([
    ["rows", recoded],
    ["columns", renamed],
  ])("counts as newer and not as damaged for an older one, which cannot read its %s", async (_what, second) => {
    const { threads: older, url } = await openKind(kind);
    const agent = agentOn(older, answer("Hello!"));
    await agent.invoke({ messages: "Say hello" }, at("t"));
    const [{ steps = [] } = {}] = (await older.history("t")).turns;
    const newer = await openAsNewer(url, second);
    const before = await contentOf(newer);
    await using target = await openThreads("memory:");
    for (const attempt of [
      () => agent.getState(at("t")),
      () => agent.getState(at("t", steps[0]?.checkpoint)),
      () => agent.getStateHistory(at("t")).next(),
      () => older.get("t"),
      () => older.list(),
      () => older.history("t"),
      () => allOf(older.export("t")),
      () => older.copy("t", target),
      () => openThreads(url),
    ]) {
      await expect(attempt()).rejects.toThrow(NewerDatabaseError);
    }
    expect(await contentOf(newer)).toEqual(before);
    expect(await target.list()).toEqual([]);
  });
});

test("A trigger that no version makes is refused, in a file of the older and of the newer version", async () => {
  const { url } = await openKind(sqlite);
  const trigger = "create trigger harm after insert on glassloop_threads begin delete from glassloop_items; end";
  await openAsNewer(url, wider);
  const newest = await openAsNewer(url, wider);
  await checkpointerOf(newest).database.batch([{ sql: trigger, parameters: [] }]);
  await expect(openAsNewer(url, wider)).rejects.toThrow(ThreadsDatabaseError);
  await expect(openAsNewer(url, wider)).rejects.toThrow('did not make "harm"');
});
