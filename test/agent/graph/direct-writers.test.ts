import { Annotation, Command, END, MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { DirectRunnable } from "../../../src/agent/graph/direct-runnable.js";
import { writeDirectly } from "../../../src/agent/graph/direct-writers.js";

const State = Annotation.Root({
  path: Annotation<string[]>({ reducer: (path, places) => [...path, ...places], default: () => [] }),
});

const visit = (place: string) => async () => ({ path: [place] });

describe("a graph that writes directly", () => {
  it("keeps what nodes return, follows its edges, and goes where its routers say", async () => {
    const router = new DirectRunnable("router", ({ path }: { path: string[] }) => path[0] ?? "nowhere");
    const two = ({ path }: typeof State.State) => ({ path: [path.length > 2 ? "done" : "again"] });
    const graph = new StateGraph(State)
      .addNode("one", visit("one"))
      .addNode("two", new DirectRunnable("two", two))
      .addEdge(START, "one")
      .addEdge("one", "two")
      .addConditionalEdges("two", router, { again: "one", done: END })
      .compile();
    writeDirectly(graph);
    expect(await graph.invoke({})).toEqual({ path: ["one", "again", "one", "done"] });
  });

  it("follows the command that a node returns", async () => {
    const graph = new StateGraph(State)
      .addNode("one", async () => new Command({ update: { path: ["one"] }, goto: "three" }), { ends: ["three"] })
      .addNode("three", visit("three"))
      .addEdge(START, "one")
      .compile();
    writeDirectly(graph);
    expect(await graph.invoke({})).toEqual({ path: ["one", "three"] });
  });

  it("checks what comes from outside, and trusts what its nodes return", async () => {
    const graph = new StateGraph(z.object({ count: z.number().default(0), seen: z.string().default("") }))
      .addNode("one", async ({ count }) => ({ seen: `${count}` }))
      .addEdge(START, "one")
      .compile({ checkpointer: new MemorySaver() });
    writeDirectly(graph);
    const thread = { configurable: { thread_id: "t" } };
    expect(await graph.invoke({ count: 3 }, thread)).toEqual({ count: 3, seen: "3" });
    await expect(graph.updateState(thread, { count: "three" }, "one")).rejects.toThrow(/expected number/);
    await graph.updateState(thread, { count: 4 }, "one");
    expect((await graph.getState(thread)).values).toEqual({ count: 4, seen: "3" });
  });
});
