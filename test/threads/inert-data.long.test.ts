import { AIMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import {
  type BaseCheckpointSaver,
  Command,
  END,
  interrupt,
  MessagesValue,
  START,
  StateGraph,
  StateSchema,
} from "@langchain/langgraph";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createAgent } from "../../src/agent/create-agent.js";
import { type ScriptedReply, scriptedModel } from "../../src/testing/index.js";
import { ThreadCheckpointer } from "../../src/threads/checkpoints/checkpointer.js";
import { openThreads, type Threads } from "../../src/threads/open.js";
import { lastingDatabases } from "../matrix/databases.js";
import { expectSameData, hostileData } from "./hostile-data.js";
import { at, checkpointerOf, openKind } from "./open-kind.js";

/** A checkpointer that begins anew, after the database was opened again. */
async function afterRestart(threads: Threads, url: string): Promise<ThreadCheckpointer> {
  await threads.close();
  const again = await openThreads(url);
  onTestFinished(() => again.close());
  return checkpointerOf(again);
}

const entries = Object.entries(hostileData);

function savesWith(checkpointer: BaseCheckpointSaver, ...replies: ScriptedReply[]) {
  const seen: unknown[] = [];
  const save = tool(({ data }) => seen.push(data), {
    name: "save",
    description: "Saves.",
    schema: z.object({ data: z.unknown() }),
  });
  const model = scriptedModel(replies);
  const options = { model, tools: [save], protocol: "tool-calling", rephrase: false, checkpointer } as const;
  return { agent: createAgent({ ...options, limits: { maxParallelCalls: 1_000 } }), seen };
}

/** A reply with a call for each of the data. */
function calls(...data: unknown[]): AIMessage {
  const tool_calls = data.map((data, index) => ({ id: String(index), name: "save", args: { data } }));
  return new AIMessage({ content: "", tool_calls });
}

/** A graph that keeps data in every place that a state has, asks a person, and keeps the answer. */
function keepsGraph(checkpointer: BaseCheckpointSaver, given: Record<string, unknown> = {}) {
  const State = new StateSchema({
    data: z.unknown(),
    map: z.unknown(),
    messages: MessagesValue,
    object: z.unknown(),
    answer: z.unknown(),
  });
  return new StateGraph(State)
    .addNode("keep", () => ({
      data: given,
      map: new Map([["key", { list: [given] }]]),
      messages: [calls(given), new ToolMessage({ id: "t", tool_call_id: "1", content: "x", artifact: { given } })],
      object: { ...given, list: Array.from({ length: 9 }, () => given) },
    }))
    .addNode("ask", () => ({ answer: interrupt(given) }))
    .addNode("rest", () => ({}))
    .addEdge(START, "keep")
    .addEdge("keep", "ask")
    .addEdge("ask", "rest")
    .addEdge("rest", END)
    .compile({ checkpointer })
    .withConfig({ durability: "sync" });
}

describe.each(lastingDatabases)("data in $name", (kind) => {
  test("that a model wrote as arguments is the same after a restart, for the tool and in the state", async () => {
    const { threads, url } = await openKind(kind);
    const { agent, seen } = savesWith(threads.checkpointer, "first", calls(...Object.values(hostileData)));
    await agent.invoke({ messages: "Begin" }, at("t"));
    await agent.invoke({ messages: "Save" }, { ...at("t"), interruptBefore: ["act"] });
    expect(seen).toEqual([]);
    const restarted = savesWith(await afterRestart(threads, url), "second", "last");
    const { intermediateSteps } = await restarted.agent.invoke(null, at("t"));
    const { values } = await restarted.agent.getState(at("t"));
    expect(values).toMatchObject({ answer: "second", question: "Save" });
    expectSameData(values.intermediateSteps, intermediateSteps, "the steps of the last turn");
    const made = values.messages.flatMap((message: unknown) =>
      AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [],
    );
    for (const [index, [name, data]] of entries.entries()) {
      expectSameData(restarted.seen[index], data, name);
      expectSameData(made[index]?.args.data, data, name);
    }
    expect(await restarted.agent.invoke({ messages: "Go on" }, at("t"))).toMatchObject({ answer: "last" });
  });

  test("stays data in every place of a graph's state, in questions to a person, answers and a copy", async () => {
    const { threads, url } = await openKind(kind);
    for (const [name, data] of entries) await keepsGraph(threads.checkpointer, data).invoke({}, at(name));
    await using elsewhere = await openThreads("memory:");
    for (const [name] of entries) await threads.copy(name, elsewhere);
    const checkpointer = await afterRestart(threads, url);
    for (const [name, data] of entries) {
      await expectKept(checkpointer, name, data);
      await expectKept(checkpointerOf(elsewhere), name, data);
      await keepsGraph(checkpointer).invoke(new Command({ resume: { data } }), at(name));
      const { values } = await keepsGraph(new ThreadCheckpointer(checkpointer.database)).getState(at(name));
      expectSameData(values.answer, { data }, `the answer ${name}`);
    }
  });
});

async function expectKept(
  checkpointer: BaseCheckpointSaver,
  name: string,
  data: Record<string, unknown>,
): Promise<void> {
  const { values, tasks } = await keepsGraph(checkpointer).getState(at(name));
  expectSameData(values.data, data, name);
  expectSameData(values.map.get("key"), { list: [data] }, name);
  expectSameData(values.messages[0].tool_calls[0].args.data, data, name);
  expectSameData(values.messages[1].artifact, { given: data }, name);
  expectSameData(values.object, { ...data, list: Array.from({ length: 9 }, () => data) }, name);
  expectSameData(tasks[0]?.interrupts[0]?.value, data, name);
}
