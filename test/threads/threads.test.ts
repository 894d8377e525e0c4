import { END, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createAgent } from "../../src/agent/create-agent.js";
import { InvalidOptionError, ThreadError, ThreadsDatabaseError } from "../../src/base/errors.js";
import { scriptedModel } from "../../src/testing/index.js";
import { openThreads, type Threads } from "../../src/threads/open.js";
import { coded } from "../helpers/coded.js";
import { databases, sqlite, type TestDatabaseKind } from "../matrix/databases.js";
import { matrix } from "../matrix/matrix.js";
import { question, stepsGraph } from "./steps-graph.js";

const at = (thread_id: unknown) => ({ configurable: { thread_id } });

async function open(kind: TestDatabaseKind): Promise<{ threads: Threads; url: string }> {
  const database = await kind.create();
  const threads = await openThreads(database.url);
  onTestFinished(async () => {
    await threads.close();
    await database.remove();
  });
  return { threads, url: database.url };
}

async function write(threads: Threads, ...ids: string[]): Promise<void> {
  for (const id of ids) await stepsGraph(threads.checkpointer).invoke({ messages: [question(`q-${id}`)] }, at(id));
}

describe.each(matrix(databases, sqlite))("threads in $name", (kind) => {
  test("are listed with the newest first", async () => {
    const { threads } = await open(kind);
    await write(threads, "a", "b", "c", "a");
    expect((await threads.list()).map(({ id }) => id)).toEqual(["a", "c", "b"]);
  });

  test("are listed with the newest first, even if no time passes between them", async () => {
    const { threads } = await open(kind);
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    await write(threads, "b", "c", "a", "b", "a");
    expect((await threads.list()).map(({ id }) => id)).toEqual(["a", "b", "c"]);
    await write(threads, "c");
    expect((await threads.list()).map(({ id }) => id)).toEqual(["c", "a", "b"]);
  });

  test("are listed a page at a time", async () => {
    const { threads } = await open(kind);
    await write(threads, "a", "b", "c", "d", "e");
    const pages: string[][] = [];
    for (let before: string | undefined; pages.length < 4; before = pages.at(-1)?.at(-1)) {
      const page = await threads.list({ limit: 2, before });
      if (page.length === 0) break;
      pages.push(page.map(({ id }) => id));
    }
    expect(pages).toEqual([["e", "d"], ["c", "b"], ["a"]]);
  });

  test("have the times when they were made and last written, and their first question as a title", async () => {
    const { threads } = await open(kind);
    const before = new Date().toISOString();
    const model = scriptedModel(["Final Answer: 4", "Final Answer: 6"]);
    const agent = createAgent({ model, checkpointer: threads.checkpointer, rephrase: false });
    await agent.invoke({ messages: "What is\n2 + 2?" }, at("sums"));
    const first = await threads.get("sums");
    await agent.invoke({ messages: "And 3 + 3?" }, at("sums"));
    const second = await threads.get("sums");
    expect(first).toMatchObject({ id: "sums", title: "What is 2 + 2?", lastQuestion: "What is 2 + 2?", turns: 1 });
    expect(second).toMatchObject({ id: "sums", title: "What is 2 + 2?", lastQuestion: "And 3 + 3?", turns: 2 });
    expect(second?.createdAt).toBe(first?.createdAt);
    const times = [before, first?.createdAt ?? "", first?.updatedAt ?? "", second?.updatedAt ?? ""];
    expect(times.toSorted()).toEqual(times);
  });

  test("have no title if their graph has no turns", async () => {
    const { threads } = await open(kind);
    await write(threads, "plain");
    expect(await threads.get("plain")).not.toHaveProperty("title");
  });

  test("do not belong to an agent that only ran inside another graph", async () => {
    const { threads } = await open(kind);
    const model = scriptedModel(["Final Answer: 4", "Final Answer: 6"]);
    const agent = createAgent({ model, checkpointer: threads.checkpointer, rephrase: false });
    const outer = new StateGraph(new StateSchema({ messages: MessagesValue }))
      .addNode("ask", agent)
      .addEdge(START, "ask")
      .addEdge("ask", END)
      .compile();
    await outer.invoke({ messages: "What is 2 + 2?" }, at("outer"));
    await outer.invoke({ messages: "And 3 + 3?" }, at("outer"));
    expect(await threads.get("outer")).toMatchObject({ title: "What is 2 + 2?", lastQuestion: "And 3 + 3?" });
    expect(await threads.get("outer")).not.toHaveProperty("graph");
  });

  test("do not have the question of an agent in a tool as a title", async () => {
    const { threads } = await open(kind);
    const inner = createAgent({ model: scriptedModel(["Final Answer: 4"]), rephrase: false });
    const sums = inner.asTool({ name: "sums", description: "Adds." });
    const model = scriptedModel([
      "Final Answer: Hello.",
      { tool_calls: [{ name: "sums", args: { question: "2 + 2" } }] },
      "Four.",
    ]);
    const options = { tools: [sums], protocol: "tool-calling", rephrase: false } as const;
    const agent = createAgent({ model, ...options, checkpointer: threads.checkpointer });
    await agent.invoke({ messages: "Say hello" }, at("t"));
    await agent.invoke({ messages: "What is 2 + 2?" }, at("t"));
    expect(await threads.get("t")).toMatchObject({ title: "Say hello", lastQuestion: "What is 2 + 2?", turns: 2 });
  });

  test("exist when a run ends right after its question was written", async () => {
    const { threads } = await open(kind);
    const stop = new AbortController();
    const agent = createAgent({ model: scriptedModel([]), checkpointer: threads.checkpointer, rephrase: false });
    if (typeof agent.checkpointer !== "object") throw new Error("There is no checkpointer.");
    const { checkpointer } = agent;
    const { put } = checkpointer;
    checkpointer.put = async (...given) => {
      if (stop.signal.aborted) throw new Error("The process is dead.");
      const stored = await put.apply(checkpointer, given);
      stop.abort(new Error("The run is over."));
      return stored;
    };
    const run = agent.invoke({ messages: "Hello" }, { ...at("t"), signal: stop.signal, durability: "async" });
    await expect(run).rejects.toThrow("The run is over.");
    expect(await threads.get("t")).toMatchObject({ turns: 0, status: "interrupted" });
    expect((await agent.getState(at("t"))).next).toEqual(["__start__"]);
  });

  test("are undefined when they do not exist", async () => {
    const { threads } = await open(kind);
    expect(await threads.get("nobody")).toBeUndefined();
    expect(await threads.list()).toEqual([]);
  });

  test("are deleted whole, the others untouched", async () => {
    const { threads } = await open(kind);
    await write(threads, "kept", "gone");
    expect(await threads.delete("gone")).toBe(true);
    expect(await threads.delete("gone")).toBe(false);
    expect(await threads.get("gone")).toBeUndefined();
    const graph = stepsGraph(threads.checkpointer);
    expect((await graph.getState(at("gone"))).values).toEqual({});
    expect((await graph.getState(at("kept"))).values.messages).toHaveLength(4);
  });

  test("can be used again after they were deleted", async () => {
    const { threads } = await open(kind);
    await write(threads, "again");
    await threads.delete("again");
    await write(threads, "again");
    const { values } = await stepsGraph(threads.checkpointer).getState(at("again"));
    expect(values.messages).toHaveLength(4);
  });

  test.each([
    ["", "empty"],
    ["x".repeat(256), "256 characters"],
    ["a\0b", "NUL"],
    [42, "number"],
    [null, "null"],
  ])("refuse the id %j", async (id, reason) => {
    const { threads } = await open(kind);
    const graph = stepsGraph(threads.checkpointer);
    await expect(graph.invoke({ messages: [question("q")] }, at(id))).rejects.toThrow(
      coded(ThreadError, "invalid-thread-id"),
    );
    await expect(graph.getState(at(id))).rejects.toThrow(reason);
    if (typeof id !== "string") return;
    await expect(threads.get(id)).rejects.toThrow(coded(ThreadError, "invalid-thread-id"));
    await expect(threads.delete(id)).rejects.toThrow(reason);
  });

  test("refuse writes without an id", async () => {
    const { threads } = await open(kind);
    const graph = stepsGraph(threads.checkpointer);
    await expect(graph.invoke({ messages: [question("q")] })).rejects.toThrow(coded(ThreadError, "invalid-thread-id"));
  });

  test("accept ids of 255 characters, spaces, quotes and any script", async () => {
    const { threads } = await open(kind);
    const ids = ["x".repeat(255), " ", `it's "quoted"`, "__proto__", "线程 🧵", "%_"];
    await write(threads, ...ids);
    expect((await threads.list()).map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    for (const id of ids) expect((await threads.get(id))?.id).toBe(id);
  });

  test.each([0, -1, 1.5, Number.NaN])("refuse to list %d threads", async (limit) => {
    const { threads } = await open(kind);
    await expect(threads.list({ limit })).rejects.toThrow(InvalidOptionError);
  });

  test("refuse to list what comes before an unknown thread", async () => {
    const { threads } = await open(kind);
    await expect(threads.list({ before: "nobody" })).rejects.toThrow('no thread "nobody"');
  });

  test("throw an error that says so when they were closed", async () => {
    const { threads } = await open(kind);
    await threads.close();
    await threads.close();
    await expect(threads.list()).rejects.toThrow(ThreadsDatabaseError);
  });

  test("are closed at the end of a block", async () => {
    const database = await kind.create();
    let opened: Threads;
    {
      await using threads = await openThreads(database.url);
      opened = threads;
    }
    await expect(opened.get("any")).rejects.toThrow("closed");
    await database.remove();
  });

  test("are not changed by a caller that changes a returned list", async () => {
    const { threads } = await open(kind);
    await write(threads, "t");
    const first = await threads.checkpointer.getTuple(at("t"));
    const messages: unknown = first?.checkpoint.channel_values.messages;
    if (!Array.isArray(messages)) throw new Error("There are no messages.");
    messages.length = 0;
    await write(threads, "t");
    const { values } = await stepsGraph(threads.checkpointer).getState(at("t"));
    expect(values.messages.length).toBeGreaterThan(4);
  });

  test("in a file or Postgres can be opened again, with the same values", async () => {
    const { threads, url } = await open(kind);
    await write(threads, "t", "t");
    const written = await stepsGraph(threads.checkpointer).getState(at("t"));
    await using again = kind.lasting ? await openThreads(url) : threads;
    const read = await stepsGraph(again.checkpointer).getState(at("t"));
    expect(JSON.stringify(read)).toBe(JSON.stringify(written));
    expect(await again.get("t")).toEqual(await threads.get("t"));
  });
});
