import { tool } from "@langchain/core/tools";
import { Command, END, interrupt, ReducedValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createAgent } from "../../../src/agent/create-agent.js";
import { ThreadError, ThreadInUseError } from "../../../src/base/errors.js";
import { replay } from "../../../src/core/turns/go-back.js";
import { type ScriptedReply, scriptedModel } from "../../../src/testing/index.js";
import { numberOf } from "../../../src/threads/databases/database.js";
import { threadTables } from "../../../src/threads/databases/schema.js";
import { openThreads, type Threads } from "../../../src/threads/open.js";
import { coded } from "../../helpers/coded.js";
import { databases, lastingDatabases, sqlite } from "../../matrix/databases.js";
import { matrix } from "../../matrix/matrix.js";
import { at, checkpointerOf, openKind } from "../open-kind.js";
import { question, stepsGraph } from "../steps-graph.js";

/** An agent with a tool that pays, and the amounts that it paid. */
function payingAgent(threads: Threads, replies: readonly ScriptedReply[], duringCall = () => {}) {
  const paid: number[] = [];
  const pay = tool(
    ({ amount }) => {
      paid.push(amount);
      duringCall();
      return `paid ${amount}`;
    },
    { name: "pay", description: "Pays.", schema: z.object({ amount: z.number() }), metadata: { effects: true } },
  );
  const model = scriptedModel([...replies]);
  const { checkpointer } = threads;
  const agent = createAgent({ model, tools: [pay], protocol: "tool-calling", rephrase: false, checkpointer });
  return { agent, model, paid };
}

const payFive = { content: "I pay", tool_calls: [{ name: "pay", args: { amount: 5 } }] };

/** The lines of an exported thread, without its first one, which has the id. */
async function linesOf(threads: Threads, thread: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of threads.export(thread)) lines.push(line);
  return lines.slice(1, -1);
}

/** The number of rows in all tables that name a thread. */
async function rowsOf(threads: Threads, thread: string): Promise<number> {
  const counts = threadTables.map((table) => `(select count(*) from ${table} where thread = $1)`).join(" + ");
  const [row = {}] = await checkpointerOf(threads).database.all(`select cast(${counts} as integer) as n`, [thread]);
  return numberOf(row, "n");
}

describe.each(matrix(databases, sqlite))("a renamed thread in $name", (kind) => {
  test("has all of its data, and nothing is left under its old id", async () => {
    const { threads } = await openKind(kind);
    const graph = stepsGraph(threads.keeping({ m: "x" }));
    await graph.invoke({ messages: [question("first")] }, at("a"));
    await graph.invoke({ messages: [question("other")] }, at("b"));
    const before = { lines: await linesOf(threads, "a"), summary: await threads.get("a") };

    expect(await threads.rename("a", "c")).toEqual({ ...before.summary, id: "c" });
    expect(await linesOf(threads, "c")).toEqual(before.lines);
    expect([await threads.get("a"), await rowsOf(threads, "a")]).toEqual([undefined, 0]);
    expect((await threads.search("first")).map(({ thread }) => thread)).toEqual(["c"]);
    expect((await threads.list()).map(({ id }) => id)).toEqual(["b", "c"]);
  });

  test("continues its conversation, goes back in time and can be forked", async () => {
    const { threads } = await openKind(kind);
    const { agent, model } = payingAgent(threads, ["Hello Ann.", "You are Ann.", "You are Ann, again."]);
    await agent.invoke({ messages: "I am Ann." }, at("a"));
    await threads.rename("a", "c");
    const { answer } = await agent.invoke({ messages: "Who am I?" }, at("c"));
    expect([answer, model.calls[1]?.prompt]).toEqual(["You are Ann.", expect.stringContaining("I am Ann.")]);

    const steps = (await threads.history("c")).turns.at(-1)?.steps ?? [];
    const beforeModel = steps.find(({ next }) => next.includes("plan"))?.checkpoint ?? "";
    expect((await replay(agent, "c", beforeModel)).answer).toBe("You are Ann, again.");
    expect(await threads.fork("c", beforeModel, "d")).toMatchObject({ id: "d", title: "I am Ann.", turns: 2 });
    expect(await agent.getState(at("a"))).toMatchObject({ values: {}, next: [] });
  });

  test("resumes a failed turn, and makes no finished call again", async () => {
    const { threads } = await openKind(kind);
    const { agent, paid } = payingAgent(threads, [payFive, new Error("The server is down."), "It is paid."]);
    await expect(agent.invoke({ messages: "Pay 5." }, at("a"))).rejects.toThrow("down");
    await threads.rename("a", "c");
    expect((await threads.get("c"))?.status).toBe("failed");
    expect((await agent.invoke(null, at("c"))).answer).toBe("It is paid.");
    expect(paid).toEqual([5]);
  });

  test("resumes a turn that was stopped inside a call with effects, without the call", async () => {
    const { threads } = await openKind(kind);
    const stop = new AbortController();
    const { agent, paid } = payingAgent(threads, [payFive, "It may be paid."], () => stop.abort(new Error("stopped")));
    await expect(agent.invoke({ messages: "Pay 5." }, { ...at("a"), signal: stop.signal })).rejects.toThrow("stopped");
    await threads.rename("a", "c");
    const { answer, intermediateSteps } = await agent.invoke(null, at("c"));
    expect([answer, intermediateSteps[0]?.results[0]?.status]).toEqual(["It may be paid.", "unknown"]);
    expect(paid).toEqual([5]);
  });

  test("accepts the decision that it waits for", async () => {
    const { threads } = await openKind(kind);
    const State = new StateSchema({ answer: z.string().default("") });
    const graph = new StateGraph(State)
      .addNode("ask", () => ({ answer: interrupt<string, string>("Your name?") }))
      .addEdge(START, "ask")
      .addEdge("ask", END)
      .compile({ checkpointer: threads.checkpointer });
    await graph.invoke({}, at("a"));
    expect(await threads.rename("a", "c")).toMatchObject({ status: "waiting", interrupts: [{ value: "Your name?" }] });
    expect(await graph.invoke(new Command({ resume: "Ann" }), at("c"))).toEqual({ answer: "Ann" });
  });

  test("leaves its old id free for another thread, and can get its old id back", async () => {
    const { threads } = await openKind(kind);
    const graph = stepsGraph(threads.checkpointer);
    await graph.invoke({ messages: [question("first")] }, at("a"));
    await threads.rename("a", "c");
    await graph.invoke({ messages: [question("second")] }, at("a"));
    await threads.rename("a", "d");
    await threads.rename("c", "a");
    const messages = (await graph.getState(at("a"))).values.messages;
    expect(messages[0]?.text).toBe("Question first?");
    expect((await threads.list()).map(({ id }) => id).sort()).toEqual(["a", "d"]);
  });

  test("cannot get another thread's id, its own id or an invalid id; a missing thread cannot be renamed", async () => {
    const { threads } = await openKind(kind);
    const graph = stepsGraph(threads.checkpointer);
    for (const id of ["a", "b"]) await graph.invoke({ messages: [question(id)] }, at(id));
    const before = [await linesOf(threads, "a"), await linesOf(threads, "b")];
    await expect(threads.rename("a", "b")).rejects.toThrow(coded(ThreadError, "thread-exists"));
    await expect(threads.rename("a", "a")).rejects.toThrow(coded(ThreadError, "thread-exists"));
    await expect(threads.rename("a", "")).rejects.toThrow(coded(ThreadError, "invalid-thread-id"));
    await expect(threads.rename("nobody", "c")).rejects.toThrow(coded(ThreadError, "thread-not-found"));
    expect([await linesOf(threads, "a"), await linesOf(threads, "b")]).toEqual(before);
  });

  test("must not be in use, and neither may its new id", async () => {
    const { threads } = await openKind(kind);
    const { guard } = checkpointerOf(threads);
    await stepsGraph(threads.checkpointer).invoke({ messages: [question("a")] }, at("a"));
    for (const id of ["a", "c"]) {
      const hold = await guard.take(id);
      const refused: unknown = await threads.rename("a", "c").catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(ThreadInUseError);
      expect(refused).toMatchObject({ threadId: id });
      await hold.release();
    }
    await threads.rename("a", "c");
    for (const id of ["a", "c"]) await (await guard.take(id)).release();
  });
});

test.each(matrix(lastingDatabases, sqlite))(
  "another process's cache of a thread in $name is not used for a thread that got its id",
  async (kind) => {
    const { threads, url } = await openKind(kind);
    const other = await openThreads(url);
    onTestFinished(() => other.close());
    // The nodes give a number, and the state has a long text for it: no write of a node stores that text.
    const long = (n: number) => `text ${n} `.repeat(100);
    const texts = new ReducedValue(
      z.array(z.string()).default(() => []),
      { inputSchema: z.number(), reducer: (before, n) => [...before, long(n)] },
    );
    const graphOn = ({ checkpointer }: Threads) =>
      new StateGraph(new StateSchema({ texts }))
        .addNode("end", () => ({}))
        .addEdge(START, "end")
        .addEdge("end", END)
        .compile({ checkpointer });
    await graphOn(other).invoke({ texts: 1 }, at("b"));
    await graphOn(threads).invoke({ texts: 2 }, at("a"));
    await graphOn(threads).getState(at("b"));
    await threads.delete("b");
    await threads.rename("a", "b");

    expect((await graphOn(other).getState(at("b"))).values).toEqual({ texts: [long(2)] });
    await graphOn(other).invoke({ texts: 1 }, at("b"));
    await using fresh = await openThreads(url);
    const read: unknown[] = [];
    for await (const { checkpoint } of fresh.checkpointer.list(at("b"))) read.push(checkpoint.channel_values.texts);
    expect(read[0]).toEqual([long(2), long(1)]);
    expect((await graphOn(other).getState(at("a"))).values).toEqual({});
  },
);
