import { describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent/create-agent.js";
import { InvalidOptionError, ThreadInUseError } from "../../src/base/errors.js";
import { scriptedModel } from "../../src/testing/index.js";
import { openThreads, type Threads } from "../../src/threads/open.js";
import { calculator } from "../../src/tools/calculator/calculator.js";
import { databaseKinds } from "./each-database.js";
import { at, checkpointerOf, openKind } from "./open-kind.js";

function agentOn({ checkpointer }: Threads, ...replies: (string | Error)[]) {
  const model = scriptedModel(replies);
  return createAgent({ model, tools: [calculator()], protocol: "react", rephrase: false, checkpointer });
}

const answer = " I know\nFinal Answer: 4";
const withSettings = (thread_id: string, thread_settings: unknown) => ({
  configurable: { thread_id, thread_settings },
});
const local = { model: "llama3.2", "base-url": "http://127.0.0.1:11434/v1" };

describe.each(databaseKinds)("the settings of a thread in $name", (kind) => {
  test("are those of its last run that gave some", async () => {
    const { threads } = await openKind(kind);
    const agent = agentOn(threads, answer, answer, answer);
    await agent.invoke({ messages: "Hi" }, at("plain"));
    await agent.invoke({ messages: "Hi" }, withSettings("t", local));
    await agent.invoke({ messages: "Hi" }, at("t"));
    expect((await threads.get("t"))?.settings).toEqual({ values: local, imported: false });
    expect(await threads.get("plain")).not.toHaveProperty("settings");
  });

  test("are kept before a model is asked, so that a turn that fails has them", async () => {
    const { threads } = await openKind(kind);
    const run = agentOn(threads, new Error("gone")).invoke({ messages: "Hi" }, withSettings("t", local));
    await expect(run).rejects.toThrow("gone");
    expect(await threads.get("t")).toMatchObject({ status: "failed", settings: { values: local } });
  });

  test("are not changed by a run that is refused, because another one has the thread", async () => {
    const { threads } = await openKind(kind);
    const agent = agentOn(threads, answer);
    await agent.invoke({ messages: "Hi" }, withSettings("t", local));
    const hold = await checkpointerOf(threads).guard.take("t");
    const refused = agent.invoke({ messages: "Me, too" }, withSettings("t", { model: "offline" }));
    await expect(refused).rejects.toThrow(ThreadInUseError);
    await hold.release();
    expect((await threads.get("t"))?.settings?.values).toEqual(local);
  });

  test("go with a fork and a copy", async () => {
    const { threads } = await openKind(kind);
    await agentOn(threads, answer).invoke({ messages: "Hi" }, withSettings("t", local));
    const [turn] = (await threads.history("t")).turns;
    expect((await threads.fork("t", turn?.steps.at(-1)?.checkpoint ?? "", "f")).settings?.values).toEqual(local);
    await using elsewhere = await openThreads("memory:");
    await threads.copy("t", elsewhere);
    expect((await elsewhere.get("t"))?.settings).toEqual((await threads.get("t"))?.settings);
  });

  test("are texts, and nothing else is kept", async () => {
    const { threads } = await openKind(kind);
    const run = agentOn(threads, answer).invoke({ messages: "Hi" }, withSettings("t", { steps: 3 }));
    await expect(run).rejects.toThrow(InvalidOptionError);
    expect(await threads.get("t")).toBeUndefined();
  });

  test("keep any text whole", async () => {
    const { threads } = await openKind(kind);
    const odd = { system: "Ünïcode \0 'quotes' \"and\"\n💥 \u2028 %s $1" };
    await agentOn(threads, answer).invoke({ messages: "Hi" }, withSettings("t", odd));
    expect((await threads.get("t"))?.settings?.values).toEqual(odd);
  });

  test("ids are found by how they begin, whatever letters are in them", async () => {
    const { threads } = await openKind(kind);
    const agent = agentOn(threads, answer, answer, answer, answer);
    for (const id of ["a%b", "a_b", "ab", "b"]) await agent.invoke({ messages: "Hi" }, at(id));
    expect(await threads.idsFrom("a")).toEqual(expect.arrayContaining(["a%b", "a_b", "ab"]));
    expect(await threads.idsFrom("a%")).toEqual(["a%b"]);
    expect(await threads.idsFrom("a_")).toEqual(["a_b"]);
    expect(await threads.idsFrom("A")).toEqual([]);
    expect(await threads.idsFrom("a", { limit: 2 })).toHaveLength(2);
    await expect(threads.idsFrom("a", { limit: 0 })).rejects.toThrow(InvalidOptionError);
  });
});
