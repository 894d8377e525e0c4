import { END, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ThreadError } from "../../../src/base/errors.js";
import { addCounts } from "../../../src/core/state/usage.js";
import { regenerate } from "../../../src/turns/go-back.js";
import { coded } from "../../helpers/coded.js";
import { databases, memory } from "../../matrix/databases.js";
import { matrix } from "../../matrix/matrix.js";
import { agentOn, answer } from "../agents.js";
import { at, checkpointerOf, openKind } from "../open-kind.js";

const answers = (count: number) => Array<string>(count).fill(answer("Yes."));

describe.each(matrix(databases, memory))("the statistics of threads in $name", (kind) => {
  test("are zero where there are none", async () => {
    const { threads } = await openKind(kind);
    const { bytes, ...stats } = await threads.stats();
    expect(stats).toMatchObject({ threads: 0, turns: 0, checkpoints: 0, usage: { modelCalls: 0, models: {} } });
    expect([stats.createdAt, stats.updatedAt]).toEqual([undefined, undefined]);
    expect(bytes).toBeGreaterThan(0);
    await expect(threads.stats({ thread: "nobody" })).rejects.toThrow(coded(ThreadError, "thread-not-found"));
  });

  test("add up what the agents' states say", async () => {
    const { threads } = await openKind(kind);
    const agent = agentOn(threads, ...answers(3));
    await agent.invoke({ messages: "One?" }, at("a"));
    const a = await agent.invoke({ messages: "Two?" }, at("a"));
    const b = await agent.invoke({ messages: "Three?" }, at("b"));
    const [first, last] = [await threads.get("a"), await threads.get("b")];
    const ofA = await threads.stats({ thread: "a" });
    const ofAll = await threads.stats();
    expect(ofA).toMatchObject({ threads: 1, turns: 2, usage: a.usage.thread, createdAt: first?.createdAt });
    expect(ofAll).toMatchObject({ threads: 2, turns: 3, createdAt: first?.createdAt, updatedAt: last?.updatedAt });
    expect(ofAll.usage).toEqual(addCounts(a.usage.thread, b.usage.thread));
    expect(ofAll.usage.modelCalls).toBe(3);
    const steps = (await threads.history("a")).turns.flatMap(({ steps }) => steps);
    expect([ofA.checkpoints, ofAll.checkpoints]).toEqual([steps.length, steps.length * 1.5]);
  });

  test("count the current branch of a thread only", async () => {
    const { threads } = await openKind(kind);
    const agent = agentOn(threads, ...answers(3));
    await agent.invoke({ messages: "One?" }, at("a"));
    await agent.invoke({ messages: "Two?" }, at("a"));
    const { usage } = await regenerate(agent, "a");
    expect((await threads.stats()).usage).toEqual(usage.thread);
    expect(usage.thread.modelCalls).toBe(2);
  });

  test("grow with what a thread holds", async () => {
    const { threads } = await openKind(kind);
    const agent = agentOn(threads, ...answers(2));
    await agent.invoke({ messages: "One?" }, at("a"));
    const before = await threads.stats({ thread: "a" });
    await agent.invoke({ messages: `Is this long? ${"é".repeat(100_000)}` }, at("a"));
    const after = await threads.stats({ thread: "a" });
    expect(after.bytes - before.bytes).toBeGreaterThan(200_000);
    expect((await threads.stats()).bytes).toBeGreaterThan(200_000);
  });

  test("leave out the usage of other graphs and of damaged threads", async () => {
    const { threads } = await openKind(kind);
    const foreign = new StateGraph(new StateSchema({ usage: z.string().default("") }))
      .addNode("end", () => ({}))
      .addEdge(START, "end")
      .addEdge("end", END)
      .compile({ checkpointer: threads.checkpointer });
    await foreign.invoke({ usage: "much" }, at("foreign"));
    await agentOn(threads, ...answers(1)).invoke({ messages: "One?" }, at("damaged"));
    const { usage } = await agentOn(threads, ...answers(1)).invoke({ messages: "One?" }, at("whole"));
    const { database } = checkpointerOf(threads);
    await database.batch([
      { sql: "update glassloop_checkpoints set body = 'no JSON' where thread = $1", parameters: ["damaged"] },
    ]);
    expect(await threads.stats()).toMatchObject({ threads: 3, usage: usage.thread });
  });
});
