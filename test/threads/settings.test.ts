import { describe, expect, test } from "vitest";
import { InvalidOptionError, ThreadInUseError } from "../../src/base/errors.js";
import { openThreads } from "../../src/threads/open.js";
import { databases, memory } from "../matrix/databases.js";
import { matrix } from "../matrix/matrix.js";
import { agentOn, answer } from "./agents.js";
import { at, checkpointerOf, openKind } from "./open-kind.js";

const local = { model: "llama3.2", system: "Ünïcode \0 'quotes' \"and\"\n💥 \u2028 %s $1" };
const offline = { model: "offline" };

describe.each(matrix(databases, memory))("what a program keeps with a thread in $name", (kind) => {
  test("is that of the last run with keeping", async () => {
    const { threads } = await openKind(kind);
    await agentOn(threads, answer("Hi!")).invoke({ messages: "Hi" }, at("plain"));
    await agentOn({ checkpointer: threads.keeping(offline) }, answer("Hi!")).invoke({ messages: "Hi" }, at("t"));
    await agentOn({ checkpointer: threads.keeping(local) }, answer("Hi!")).invoke({ messages: "Hi" }, at("t"));
    await agentOn(threads, answer("Hi!")).invoke({ messages: "Hi" }, at("t"));
    expect((await threads.get("t"))?.settings).toEqual(local);
    expect(await threads.get("plain")).not.toHaveProperty("settings");
  });

  test("is kept before a model call, so that a failed turn has it", async () => {
    const { threads } = await openKind(kind);
    const run = agentOn({ checkpointer: threads.keeping(local) }, new Error("gone")).invoke(
      { messages: "Hi" },
      at("t"),
    );
    await expect(run).rejects.toThrow("gone");
    expect(await threads.get("t")).toMatchObject({ status: "failed", settings: local });
  });

  test("is not changed by a run that is refused, because another one has the thread", async () => {
    const { threads } = await openKind(kind);
    await agentOn({ checkpointer: threads.keeping(local) }, answer("Hi!")).invoke({ messages: "Hi" }, at("t"));
    const hold = await checkpointerOf(threads).guard.take("t");
    const refused = agentOn({ checkpointer: threads.keeping(offline) }).invoke({ messages: "Me, too" }, at("t"));
    await expect(refused).rejects.toThrow(ThreadInUseError);
    await hold.release();
    expect((await threads.get("t"))?.settings).toEqual(local);
  });

  test("goes with a fork and a copy", async () => {
    const { threads } = await openKind(kind);
    await agentOn({ checkpointer: threads.keeping(local) }, answer("Hi!")).invoke({ messages: "Hi" }, at("t"));
    const [turn] = (await threads.history("t")).turns;
    expect((await threads.fork("t", turn?.steps.at(-1)?.checkpoint ?? "", "f")).settings).toEqual(local);
    await using elsewhere = await openThreads("memory:");
    await threads.copy("t", elsewhere);
    expect((await elsewhere.get("t"))?.settings).toEqual((await threads.get("t"))?.settings);
  });

  test("ids are found by their beginning, whatever characters they have", async () => {
    const { threads } = await openKind(kind);
    const agent = agentOn(threads, ...Array<string>(4).fill(answer("Hi!")));
    for (const id of ["a%b", "a_b", "ab", "b"]) await agent.invoke({ messages: "Hi" }, at(id));
    expect(await threads.idsFrom("a")).toEqual(expect.arrayContaining(["a%b", "a_b", "ab"]));
    expect(await threads.idsFrom("a%")).toEqual(["a%b"]);
    expect(await threads.idsFrom("a_")).toEqual(["a_b"]);
    expect(await threads.idsFrom("A")).toEqual([]);
    expect(await threads.idsFrom("a", { limit: 2 })).toHaveLength(2);
    await expect(threads.idsFrom("a", { limit: 0 })).rejects.toThrow(InvalidOptionError);
  });
});
