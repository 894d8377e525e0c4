import { describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent/create-agent.js";
import { NewerDatabaseError, ThreadInUseError, ThreadsDatabaseError } from "../../src/base/errors.js";
import { type ScriptedReplyMaker, scriptedModel } from "../../src/testing/index.js";
import { threadTables } from "../../src/threads/databases/schema.js";
import { openThreads, type Threads } from "../../src/threads/open.js";
import { lastingDatabases, sqlite } from "../matrix/databases.js";
import { matrix } from "../matrix/matrix.js";
import { at, checkpointerOf, openKind } from "./open-kind.js";
import { openAsNewer, recoded, renamed, wider } from "./versions.js";

const answer = "I know\nFinal Answer: Hello!";

function agentOn({ checkpointer }: Threads, reply: ScriptedReplyMaker = () => answer) {
  const model = scriptedModel(Array<ScriptedReplyMaker>(9).fill(reply));
  return createAgent({ model, protocol: "react", rephrase: false, checkpointer });
}

async function allOf(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

/** All rows of a database. */
function contentOf(threads: Threads) {
  const tables = ["glassloop_meta", "glassloop_threads", ...threadTables];
  const queries = tables.map((table) => ({ sql: `select * from ${table} order by 1, 2, 3`, parameters: [] }));
  return checkpointerOf(threads).database.snapshot(
    queries.with(0, { sql: "select * from glassloop_meta", parameters: [] }),
  );
}

describe.each(matrix(lastingDatabases, sqlite))("a database in $name that a newer version changed", (kind) => {
  test("is no longer written by an older one that has it open", async () => {
    const { threads: older, url } = await openKind(kind);
    const agent = agentOn(older);
    await agent.invoke({ messages: "Say hello" }, at("t"));
    const [{ steps = [] } = {}] = (await older.history("t")).turns;
    const newer = await openAsNewer(url, wider);
    const before = await contentOf(newer);
    for (const attempt of [
      () => agent.invoke({ messages: "And now?" }, at("t")),
      () => agent.invoke({ messages: "And here?" }, at("other")),
      () => agent.updateState(at("t"), { answer: "mine" }, "parse"),
      () => checkpointerOf(older).deleteThread("t"),
      () => older.fork("t", steps.at(-1)?.checkpoint ?? "", "fork"),
      () => older.rename("t", "renamed"),
      () => older.prune({ keepTurns: 0 }),
      () => older.delete("t"),
      () => openThreads(url),
    ]) {
      await expect(attempt()).rejects.toThrow(NewerDatabaseError);
    }
    expect(await contentOf(newer)).toEqual(before);
    await agentOn(newer).invoke({ messages: "And now?" }, at("t"));
    expect(await newer.get("t")).toMatchObject({ turns: 2, status: "idle" });
    expect(await older.get("t")).toMatchObject({ turns: 2, status: "idle" });
  });

  test("stops a run of an older one, which holds its thread until then, at its next write", async () => {
    const { threads: older, url } = await openKind(kind);
    let isAsked = () => {};
    let goOn = () => {};
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    const waiting = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const run = agentOn(older, async () => {
      isAsked();
      await waiting;
      return answer;
    }).invoke({ messages: "Say hello" }, at("t"));
    await asked;
    const newer = await openAsNewer(url, wider);
    const agent = agentOn(newer);
    await expect(agent.invoke(null, at("t"))).rejects.toThrow(ThreadInUseError);
    goOn();
    await expect(run).rejects.toThrow(NewerDatabaseError);
    expect((await agent.invoke(null, at("t"))).answer).toBe("Hello!");
    expect(await newer.get("t")).toMatchObject({ turns: 1, status: "idle", lastQuestion: "Say hello" });
  });

  test.each([
    ["rows", recoded],
    ["columns", renamed],
  ])("counts as newer and not as damaged for an older one, which cannot read its %s", async (_what, second) => {
    const { threads: older, url } = await openKind(kind);
    const agent = agentOn(older);
    await agent.invoke({ messages: "Say hello" }, at("t"));
    const [{ steps = [] } = {}] = (await older.history("t")).turns;
    const newer = await openAsNewer(url, second);
    const before = await contentOf(newer);
    const target = await openThreads("memory:");
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
    await target.close();
  });

  test("is not copied or exported by an older one, even if it can read the tables", async () => {
    const { threads: older, url } = await openKind(kind);
    await agentOn(older).invoke({ messages: "Say hello" }, at("t"));
    await openAsNewer(url, wider);
    await using target = await openThreads("memory:");
    await expect(older.copy("t", target)).rejects.toThrow(NewerDatabaseError);
    expect(await target.list()).toEqual([]);
    await expect(allOf(older.export("t"))).rejects.toThrow(NewerDatabaseError);
  });
});

test("A trigger that no version makes is refused, in a file of the older and of the newer version", async () => {
  const kind = sqlite;
  if (kind === undefined) throw new Error("There is no SQLite.");
  const { threads, url } = await openKind(kind);
  const trigger = "create trigger harm after insert on glassloop_threads begin delete from glassloop_items; end";
  await openAsNewer(url, wider);
  await openAsNewer(url, wider);
  const newest = await openAsNewer(url, wider);
  await checkpointerOf(newest).database.batch([{ sql: trigger, parameters: [] }]);
  await expect(openAsNewer(url, wider)).rejects.toThrow(ThreadsDatabaseError);
  await expect(openAsNewer(url, wider)).rejects.toThrow('did not make "harm"');
  await threads.close();
});
