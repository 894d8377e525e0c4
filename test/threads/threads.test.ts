import { END, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createAgent } from "../../src/agent/create-agent.js";
import { InvalidOptionError, ThreadError, ThreadsDatabaseError } from "../../src/base/errors.js";
import { scriptedModel } from "../../src/testing/index.js";
import { openThreads, type Threads } from "../../src/threads/open.js";
import { coded } from "../helpers/coded.js";
import { databases, lastingDatabases, memory, sqlite } from "../matrix/databases.js";
import { matrix } from "../matrix/matrix.js";
import { at, openKind } from "./open-kind.js";
import { question, stepsGraph } from "./steps-graph.js";

async function write(threads: Threads, ...ids: string[]): Promise<void> {
  for (const id of ids) await stepsGraph(threads.checkpointer).invoke({ messages: [question(`q-${id}`)] }, at(id));
}

describe.each(matrix(databases, memory))("threads in $name", (kind) => {
  test("are listed with the newest first, even if no time passes between them", async () => {
    const { threads } = await openKind(kind);
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    await write(threads, "b", "c", "a", "b");
    expect((await threads.list()).map(({ id }) => id)).toEqual(["b", "a", "c"]);
  });

  test("are found by the beginning of their ids, whatever characters they have", async () => {
    const { threads } = await openKind(kind);
    await write(threads, "a%b", "a_b", "ab", "b");
    expect(await threads.idsFrom("a")).toEqual(expect.arrayContaining(["a%b", "a_b", "ab"]));
    expect(await threads.idsFrom("a%")).toEqual(["a%b"]);
    expect(await threads.idsFrom("a_")).toEqual(["a_b"]);
    expect(await threads.idsFrom("A")).toEqual([]);
    expect(await threads.idsFrom("a", { limit: 2 })).toHaveLength(2);
    await expect(threads.idsFrom("a", { limit: 0 })).rejects.toThrow(InvalidOptionError);
  });

  test("are listed a page at a time", async () => {
    const { threads } = await openKind(kind);
    await write(threads, "a", "b", "c");
    const pages: string[][] = [];
    for (let before: string | undefined; pages.length < 4; before = pages.at(-1)?.at(-1)) {
      const page = await threads.list({ limit: 2, before });
      if (page.length === 0) break;
      pages.push(page.map(({ id }) => id));
    }
    expect(pages).toEqual([["c", "b"], ["a"]]);
  });

  test("have the times when they were made and last written, and their first question, if any, as a title", async () => {
    const { threads } = await openKind(kind);
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
    await write(threads, "plain");
    expect(await threads.get("plain")).not.toHaveProperty("title");
  });

  test("do not belong to an agent that only ran inside another graph", async () => {
    const { threads } = await openKind(kind);
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
    const { threads } = await openKind(kind);
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
    const { threads } = await openKind(kind);
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

  test("are deleted whole, the others untouched, and can be used again", async () => {
    const { threads } = await openKind(kind);
    await write(threads, "kept", "gone");
    expect([await threads.delete("gone"), await threads.delete("gone")]).toEqual([true, false]);
    expect(await threads.get("gone")).toBeUndefined();
    const messagesOf = async (id: string) =>
      (await stepsGraph(threads.checkpointer).getState(at(id))).values.messages ?? [];
    expect([await messagesOf("gone"), await messagesOf("kept")]).toMatchObject([[], { length: 4 }]);
    await write(threads, "gone");
    expect(await messagesOf("gone")).toHaveLength(4);
  });

  test("refuse an id that is empty, too long, has a NUL byte, is a number, or is not there", async () => {
    const { threads } = await openKind(kind);
    const graph = stepsGraph(threads.checkpointer);
    const input = { messages: [question("q")] };
    const refusal = coded(ThreadError, "invalid-thread-id");
    await expect(graph.invoke(input)).rejects.toThrow(refusal);
    await expect(graph.invoke(input, { configurable: { thread_id: 42 } })).rejects.toThrow("number");
    for (const [id, reason] of [
      ["", "empty"],
      ["x".repeat(256), "256 characters"],
      ["a\0b", "NUL"],
    ] as const) {
      await expect(graph.invoke(input, at(id))).rejects.toThrow(refusal);
      await expect(graph.getState(at(id))).rejects.toThrow(reason);
      await expect(threads.get(id)).rejects.toThrow(refusal);
      await expect(threads.delete(id)).rejects.toThrow(reason);
    }
  });

  test("accept ids of 255 characters, spaces, quotes and any script", async () => {
    const { threads } = await openKind(kind);
    const ids = ["x".repeat(255), " ", `it's "quoted"`, "__proto__", "线程 🧵", "%_"];
    await write(threads, ...ids);
    for (const id of ids) expect((await threads.get(id))?.id).toBe(id);
  });

  test("are listed only with a limit from 1, and a thread before them that is there", async () => {
    const { threads } = await openKind(kind);
    for (const limit of [0, 1.5]) await expect(threads.list({ limit })).rejects.toThrow(InvalidOptionError);
    await expect(threads.list({ before: "nobody" })).rejects.toThrow('no thread "nobody"');
  });

  test("are closed at the end of a block, and say so", async () => {
    await using opened = (await openKind(kind)).threads;
    {
      await using threads = opened;
      expect(await threads.list()).toEqual([]);
    }
    await expect(opened.list()).rejects.toThrow(ThreadsDatabaseError);
    await expect(opened.get("any")).rejects.toThrow("closed");
  });
});

test.each(matrix(lastingDatabases, sqlite))(
  "threads in $name can be opened again, with the same values",
  async (kind) => {
    const { threads, url } = await openKind(kind);
    await write(threads, "t", "t");
    const written = await stepsGraph(threads.checkpointer).getState(at("t"));
    await using again = await openThreads(url);
    const read = await stepsGraph(again.checkpointer).getState(at("t"));
    expect(JSON.stringify(read)).toBe(JSON.stringify(written));
    expect(await again.get("t")).toEqual(await threads.get("t"));
  },
);
