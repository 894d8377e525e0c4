import { tool } from "@langchain/core/tools";
import { Command, interrupt, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { createAgent } from "../../../src/agent/create-agent.js";
import { type ScriptedReply, type ScriptedReplyMaker, scriptedModel } from "../../../src/testing/index.js";
import type { Threads } from "../../../src/threads/open.js";
import { databases, memory } from "../../matrix/databases.js";
import { matrix } from "../../matrix/matrix.js";
import { answer } from "../agents.js";
import { at, checkpointerOf, openKind } from "../open-kind.js";

const askPerson = tool(() => String(interrupt({ kind: "approve" })), {
  name: "approve",
  description: "Asks a person.",
});
const approve = " I must ask\nAction: approve\nAction Input: please";
const done = answer("done");

function askerOn({ checkpointer }: Threads, ...replies: (ScriptedReply | ScriptedReplyMaker)[]) {
  const model = scriptedModel(replies);
  return createAgent({ model, tools: [askPerson], protocol: "react", rephrase: false, checkpointer });
}

async function statusOf(threads: Threads): Promise<unknown> {
  const [listed] = await threads.list();
  const got = await threads.get("t");
  expect(listed).toEqual(got);
  return got?.status;
}

describe.each(matrix(databases, memory))("the status of a thread in $name", (kind) => {
  test("is waiting during an interrupt, and idle when the answer was used", async () => {
    const { threads } = await openKind(kind);
    const agent = askerOn(threads, approve, done);
    await agent.invoke({ messages: "1" }, at("t"));
    expect(await statusOf(threads)).toBe("waiting");
    const [task] = (await agent.getState(at("t"))).tasks;
    await agent.invoke(new Command({ resume: { [task?.interrupts[0]?.id ?? ""]: "yes" } }), at("t"));
    expect(await statusOf(threads)).toBe("idle");
  });

  test("is failed after an error, and idle when the turn was finished all the same", async () => {
    const { threads } = await openKind(kind);
    const agent = askerOn(threads, new Error("the model is away"), done);
    await expect(agent.invoke({ messages: "1" }, at("t"))).rejects.toThrow("the model is away");
    await agent.invoke(null, at("t"));
    expect(await statusOf(threads)).toBe("idle");
  });

  test("is failed when the interrupt of one task is answered, and another task failed", async () => {
    const { threads } = await openKind(kind);
    const graph = new StateGraph(new StateSchema({ said: z.string().optional() }))
      .addNode("ask", () => ({ said: String(interrupt("Who?")) }))
      .addNode("work", async () => {
        // The other task has come to its end by then.
        await new Promise(setImmediate);
        throw new Error("broken");
      })
      .addEdge(START, "ask")
      .addEdge(START, "work")
      .compile({ checkpointer: threads.checkpointer });
    await expect(graph.invoke({}, at("t"))).rejects.toThrow("broken");
    expect(await statusOf(threads)).toBe("waiting");
    await expect(graph.invoke(new Command({ resume: "Ann" }), at("t"))).rejects.toThrow("broken");
    expect(await statusOf(threads)).toBe("failed");
  });

  test("is right for each thread in a list of many", async () => {
    const { threads } = await openKind(kind);
    await askerOn(threads, done).invoke({ messages: "1" }, at("idle"));
    await askerOn(threads, approve).invoke({ messages: "1" }, at("waiting"));
    await expect(askerOn(threads, new Error("away")).invoke({ messages: "1" }, at("failed"))).rejects.toThrow("away");
    const stop = { ...at("interrupted"), interruptBefore: ["act" as const] };
    await askerOn(threads, approve).invoke({ messages: "1" }, stop);
    const statuses = async () => Object.fromEntries((await threads.list()).map(({ id, status }) => [id, status]));
    let listed: unknown;
    const running = askerOn(threads, async () => {
      listed = await statuses();
      return done;
    });
    await running.invoke({ messages: "1" }, at("running"));
    expect(listed).toEqual({
      idle: "idle",
      waiting: "waiting",
      failed: "failed",
      interrupted: "interrupted",
      running: "running",
    });
    expect(await statuses()).toMatchObject({ running: "idle" });
  });

  test("needs no extra query in a list", async () => {
    const { threads } = await openKind(kind);
    for (const id of ["a", "b"]) await askerOn(threads, done).invoke({ messages: "1" }, at(id));
    const queries = vi.spyOn(checkpointerOf(threads).database, "all");
    await threads.list({ limit: 1 });
    const forOne = queries.mock.calls.length;
    queries.mockClear();
    expect(await threads.list()).toHaveLength(2);
    expect(queries).toHaveBeenCalledTimes(forOne);
  });
});
