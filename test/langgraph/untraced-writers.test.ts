import { RunnableLambda } from "@langchain/core/runnables";
import {
  Command,
  END,
  MemorySaver,
  Overwrite,
  ReducedValue,
  START,
  StateGraph,
  StateSchema,
} from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent } from "../../src/index.js";
import { DirectRunnable } from "../../src/langgraph/direct-runnable.js";
import { untraceWriters } from "../../src/langgraph/untraced-writers.js";

const State = new StateSchema({ path: z.array(z.string()).default([]) });

const visit =
  (place: string) =>
  async ({ path }: typeof State.State) => ({ path: [...path, place] });

function roundTrip() {
  const router = ({ path }: typeof State.State) => (path.length > 3 ? "done" : "again");
  return new StateGraph(State)
    .addNode("one", visit("one"))
    .addNode("two", visit("two"))
    .addEdge(START, "one")
    .addEdge("one", "two")
    .addConditionalEdges("two", router, { again: "one", done: END })
    .compile();
}

describe("a graph whose writers are not traced", () => {
  it("follows a command after plain updates", async () => {
    let round = 0;
    const graph = new StateGraph(State)
      .addNode("one", async () => (++round < 3 ? { path: ["one"] } : new Command({ goto: "three" })), {
        ends: ["three", "one"],
      })
      .addNode("three", visit("three"))
      .addConditionalEdges("one", () => (round < 3 ? "one" : END), ["one", END])
      .addEdge(START, "one")
      .compile();
    untraceWriters(graph, State);
    expect(await graph.invoke({})).toEqual({ path: ["one", "three"] });
    expect(round).toBe(3);
  });

  it("checks what its nodes return and what comes from outside", async () => {
    const wrong: { count: number } = JSON.parse('{ "count": "three" }');
    const Count = new StateSchema({ count: z.number().default(0) });
    const graph = new StateGraph(Count)
      .addNode("one", async ({ count }) => (count === 3 ? wrong : {}))
      .addEdge(START, "one")
      .compile({ checkpointer: new MemorySaver() });
    untraceWriters(graph, Count);
    const thread = { configurable: { thread_id: "t" } };
    await expect(graph.invoke({ count: 3 }, thread)).rejects.toThrow(/expected number/);
    await expect(graph.updateState(thread, { count: "four" }, "one")).rejects.toThrow(/expected number/);
  });

  it("passes an edge the old state with the node's update merged in", async () => {
    const Steps = new StateSchema({ word: z.string().default("none"), count: z.number().default(0) });
    const seen: unknown[] = [];
    const router = (state: typeof Steps.State) => {
      seen.push(state);
      return state.count < 2 ? "one" : END;
    };
    const graph = new StateGraph(Steps)
      .addNode("one", async ({ count }) => ({ count: count + 1 }))
      .addEdge(START, "one")
      .addConditionalEdges("one", router, ["one", END])
      .compile({ checkpointer: new MemorySaver() });
    untraceWriters(graph, Steps);
    const thread = { configurable: { thread_id: "t" } };
    expect(await graph.invoke({ word: "some" }, thread)).toEqual({ word: "some", count: 2 });
    await graph.updateState(thread, { word: "other" }, "one");
    expect(seen).toEqual([
      { word: "some", count: 1 },
      { word: "some", count: 2 },
      { word: "other", count: 2 },
    ]);
  });

  it("adds to a channel with a reducer, or overwrites it, with values in the form of its schema", async () => {
    const Notes = new StateSchema({
      notes: new ReducedValue(z.array(z.string().trim()).default([]), {
        inputSchema: z.unknown().transform((note) => `a ${note}`),
        reducer: (notes, note) => [...notes, note],
      }),
    });
    const updates: unknown[] = [{ notes: "one" }, { notes: "two" }, { notes: new Overwrite([" three "]) }];
    const graph = new StateGraph(Notes)
      .addNode("write", async () => Object(updates.shift()))
      .addEdge(START, "write")
      .compile({ checkpointer: new MemorySaver() });
    untraceWriters(graph, Notes);
    const thread = { configurable: { thread_id: "t" } };
    expect(await graph.invoke({}, thread)).toEqual({ notes: ["a one"] });
    expect(await graph.invoke({}, thread)).toEqual({ notes: ["a one", "a two"] });
    expect(await graph.invoke({}, thread)).toEqual({ notes: ["three"] });
  });

  it("recognises every writer of an agent", () => {
    const { nodes } = createAgent({ model: "offline" });
    const writers = Object.values(nodes).flatMap((node) => node.writers);
    expect(writers.length).toBe(6);
    expect(writers.filter((writer) => !(writer instanceof DirectRunnable))).toEqual([]);
  });

  it("leaves writers of another shape unchanged, and runs them", async () => {
    const graph = roundTrip();
    for (const node of Object.values(graph.nodes)) {
      // What a later LangGraph may make of its writers: runnables that do the same and show nothing of how.
      node.writers = node.writers.map((writer) => RunnableLambda.from((input, config) => writer.invoke(input, config)));
    }
    const before = Object.values(graph.nodes).map((node) => node.writers);
    untraceWriters(graph, State);
    expect(Object.values(graph.nodes).map((node) => node.writers)).toEqual(before);
    expect(await graph.invoke({})).toEqual({ path: ["one", "two", "one", "two"] });
  });
});
