import { tool } from "@langchain/core/tools";
import { Command, interrupt, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { createAgent } from "../../../src/agent/create-agent.js";
import { type ScriptedReply, type ScriptedReplyMaker, scriptedModel } from "../../../src/testing/index.js";
import type { Threads } from "../../../src/threads/open.js";
import { databases, memory } from "../../matrix/databases.js";
import { matrix } from "../../matrix/matrix.js";
import { at, checkpointerOf, openKind } from "../open-kind.js";

const askPerson = tool(() => String(interrupt({ kind: "approve" })), {
  name: "approve",
  description: "Asks a person.",
});
const approve = " I must ask\nAction: approve\nAction Input: please";
const answer = " I know\nFinal Answer: done";

function agentOn({ checkpointer }: Threads, ...replies: (ScriptedReply | ScriptedReplyMaker)[]) {
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
  test("is running while it runs, and idle between turns", async () => {
    const { threads } = await openKind(kind);
    const seen: unknown[] = [];
    const agent = agentOn(threads, async () => {
      seen.push(await statusOf(threads));
      return answer;
    });
    await agent.invoke({ messages: "1" }, at("t"));
    expect(seen).toEqual(["running"]);
    expect(await statusOf(threads)).toBe("idle");
  });

  test("is waiting during an interrupt, and idle when the answer was used", async () => {
    const { threads } = await openKind(kind);
    const agent = agentOn(threads, approve, answer);
    await agent.invoke({ messages: "1" }, at("t"));
    expect(await statusOf(threads)).toBe("waiting");
    const [task] = (await agent.getState(at("t"))).tasks;
    await agent.invoke(new Command({ resume: { [task?.interrupts[0]?.id ?? ""]: "yes" } }), at("t"));
    expect(await statusOf(threads)).toBe("idle");
  });

  test("is failed after an error, and idle when the turn was finished all the same", async () => {
    const { threads } = await openKind(kind);
    const agent = agentOn(threads, new Error("the model is away"), answer);
    await expect(agent.invoke({ messages: "1" }, at("t"))).rejects.toThrow("the model is away");
    expect(await statusOf(threads)).toBe("failed");
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

  test("is interrupted when the run was stopped", async () => {
    const { threads } = await openKind(kind);
    const controller = new AbortController();
    const agent = agentOn(threads, () => {
      controller.abort(new Error("enough"));
      return answer;
    });
    await expect(agent.invoke({ messages: "1" }, { ...at("t"), signal: controller.signal })).rejects.toThrow("enough");
    // The caller hears of the end before what still runs has ended.
    await vi.waitFor(async () => expect((await threads.get("t"))?.status).toBe("interrupted"));
  });

  test("is interrupted at a breakpoint before a node", async () => {
    const { threads } = await openKind(kind);
    const agent = agentOn(threads, approve, answer);
    await agent.invoke({ messages: "1" }, { ...at("t"), interruptBefore: ["act"] });
    expect(await statusOf(threads)).toBe("interrupted");
  });

  test("is right for each thread in a list of many", async () => {
    const { threads } = await openKind(kind);
    for (const id of ["idle", "idle too"]) await agentOn(threads, answer).invoke({ messages: "1" }, at(id));
    await agentOn(threads, approve).invoke({ messages: "1" }, at("waiting"));
    await expect(agentOn(threads, new Error("away")).invoke({ messages: "1" }, at("failed"))).rejects.toThrow("away");
    const stop = { ...at("interrupted"), interruptBefore: ["act" as const] };
    await agentOn(threads, approve).invoke({ messages: "1" }, stop);
    let listed: unknown;
    const running = agentOn(threads, async () => {
      listed = Object.fromEntries((await threads.list()).map(({ id, status }) => [id, status]));
      return answer;
    });
    await running.invoke({ messages: "1" }, at("running"));
    expect(listed).toEqual({
      idle: "idle",
      "idle too": "idle",
      waiting: "waiting",
      failed: "failed",
      interrupted: "interrupted",
      running: "running",
    });
  });

  test("needs no extra query in a list", async () => {
    const { threads } = await openKind(kind);
    for (const id of ["a", "b", "c", "d"]) await agentOn(threads, answer).invoke({ messages: "1" }, at(id));
    const queries = vi.spyOn(checkpointerOf(threads).database, "all");
    await threads.list({ limit: 1 });
    const forOne = queries.mock.calls.length;
    queries.mockClear();
    expect(await threads.list()).toHaveLength(4);
    expect(queries).toHaveBeenCalledTimes(forOne);
  });
});
