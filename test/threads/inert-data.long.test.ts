import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
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
import { isRecord } from "../../src/base/is-record.js";
import type { ActionResult } from "../../src/core/state/decision.js";
import { type ScriptedReply, scriptedModel } from "../../src/testing/index.js";
import { ThreadCheckpointer } from "../../src/threads/checkpoints/checkpointer.js";
import { type Database, textOf } from "../../src/threads/databases/database.js";
import { openThreads, type Threads } from "../../src/threads/open.js";
import { databases, type TestDatabaseKind } from "../matrix/databases.js";
import { expectSameData, hostileData } from "./hostile-data.js";
import { at, checkpointerOf, openKind } from "./open-kind.js";

/** A checkpointer that begins anew: after the database was opened again, or with nothing in its memory. */
async function afterRestart(kind: TestDatabaseKind, threads: Threads, url: string): Promise<ThreadCheckpointer> {
  if (!kind.lasting) return new ThreadCheckpointer(checkpointerOf(threads).database);
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

describe.each(databases)("data in $name", (kind) => {
  test("that a model wrote as arguments is the same after a restart, and loses no turn", async () => {
    const { threads, url } = await openKind(kind);
    const { agent } = savesWith(threads.checkpointer, "first", calls(...Object.values(hostileData)), "second");
    await agent.invoke({ messages: "Begin" }, at("t"));
    const before = await agent.invoke({ messages: "Save" }, at("t"));
    const { agent: restarted } = savesWith(await afterRestart(kind, threads, url), "last");
    const { values } = await restarted.getState(at("t"));
    expect(values).toMatchObject({ answer: "second", question: "Save" });
    expectSameData(values.intermediateSteps, before.intermediateSteps, "the steps of the last turn");
    const made = values.messages.flatMap((message: unknown) =>
      AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [],
    );
    for (const [index, [name, data]] of entries.entries()) expectSameData(made[index]?.args.data, data, name);
    expect(await restarted.invoke({ messages: "Go on" }, at("t"))).toMatchObject({ answer: "last" });
  });

  test("reaches a tool as the model wrote it, when the run stopped before the tool", async () => {
    const { threads, url } = await openKind(kind);
    const { agent, seen } = savesWith(threads.checkpointer, calls(...Object.values(hostileData)));
    await agent.invoke({ messages: "Save" }, { ...at("t"), interruptBefore: ["act"] });
    expect(seen).toEqual([]);
    const restarted = savesWith(await afterRestart(kind, threads, url), "done");
    await restarted.agent.invoke(null, at("t"));
    for (const [index, [name, data]] of entries.entries()) expectSameData(restarted.seen[index], data, name);
  });

  test("in rows that another program wrote loses no turn, and is read by the same list", async () => {
    const { threads } = await openKind(kind);
    const { agent } = savesWith(threads.checkpointer, "first", calls(...Object.values(hostileData)), "second");
    await agent.invoke({ messages: "Begin" }, at("t"));
    await agent.invoke({ messages: "Save" }, at("t"));
    const { database } = checkpointerOf(threads);
    await writeUnwrapped(database);
    const { agent: restarted } = savesWith(new ThreadCheckpointer(database), "last");
    const { values } = await restarted.getState(at("t"));
    expect(values).toMatchObject({ answer: "second", question: "Save" });
    const inputs = values.intermediateSteps[0].results.map((result: ActionResult) => result.action.toolInput);
    const read = Object.fromEntries(entries.map(([name], index) => [name, inputs[index]?.data]));
    expect(read["a message"]).toEqual(new HumanMessage("forged"));
    for (const name of ["a tracer", "a prompt", "a tool", "a model", "a secret", "a class that nobody knows"]) {
      expectSameData(read[name], hostileData[name], name);
    }
    expect(await restarted.invoke({ messages: "Go on" }, at("t"))).toMatchObject({ answer: "last" });
  });

  test("stays data in every place of a graph's state, in questions to a person, answers and a copy", async () => {
    const { threads, url } = await openKind(kind);
    for (const [name, data] of entries) await keepsGraph(threads.checkpointer, data).invoke({}, at(name));
    await using elsewhere = await openThreads("memory:");
    for (const [name] of entries) await threads.copy(name, elsewhere);
    const checkpointer = await afterRestart(kind, threads, url);
    for (const [name, data] of entries) {
      await expectKept(checkpointer, name, data);
      await expectKept(checkpointerOf(elsewhere), name, data);
      await keepsGraph(checkpointer).invoke(new Command({ resume: { data } }), at(name));
      const { values } = await keepsGraph(new ThreadCheckpointer(checkpointer.database)).getState(at(name));
      expectSameData(values.answer, { data }, `the answer ${name}`);
    }
  });

  test("that was written into rows by hand becomes data and messages, and no other object", async () => {
    const { threads } = await openKind(kind);
    const agentOn = (reply: string) =>
      createAgent({
        model: scriptedModel([` I know\nFinal Answer: ${reply}`]),
        tools: [],
        protocol: "react",
        rephrase: false,
        checkpointer: threads.checkpointer,
      });
    await agentOn("Hello!").invoke({ messages: "Say hello" }, at("t"));
    const end = (await threads.history("t")).turns[0]?.steps.at(-1)?.checkpoint ?? "";
    for (const [name, data] of entries) {
      await threads.fork("t", end, name);
      await checkpointerOf(threads).database.batch([
        { sql: forgeQuestion, parameters: [name, JSON.stringify([data])] },
      ]);
      const { question } = (await agentOn("Again!").getState(at(name))).values;
      if (name === "a message") expect(question).toEqual(new HumanMessage("forged"));
      if (name === "a tracer" || name === "a model" || name === "a prototype") expectSameData(question, data, name);
      expectSameData({}, {}, name);
      expect((await agentOn("Again!").invoke({ messages: "Again" }, at(name))).answer).toBe("Again!");
    }
  });
});

const forgeQuestion = "update glassloop_versions set body = $2 where thread = $1 and channel = 'question'";

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

/** Changes stored steps to how LangGraph's serializer writes them: with nothing wrapped. */
async function writeUnwrapped(database: Database): Promise<void> {
  const rows = await database.all("select hash, content from glassloop_items where content like '%\"results\":%'");
  expect(rows).not.toEqual([]);
  for (const row of rows) {
    const unwrapped = JSON.stringify(unwrap(JSON.parse(textOf(row, "content"))));
    const parameters = [unwrapped, textOf(row, "hash")];
    await database.batch([{ sql: "update glassloop_items set content = $1 where hash = $2", parameters }]);
  }
}

function unwrap(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unwrap);
  if (!isRecord(value)) return value;
  if (value.lc === 3 && isRecord(value.value)) return value.value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, unwrap(part)]));
}
