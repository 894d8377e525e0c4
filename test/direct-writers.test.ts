import { Annotation, Command, END, START, StateGraph } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { DirectRunnable } from "../src/direct-runnable.js";
import { writeDirectly } from "../src/direct-writers.js";

const State = Annotation.Root({
  path: Annotation<string[]>({ reducer: (path, places) => [...path, ...places], default: () => [] }),
});

const visit = (place: string) => async () => ({ path: [place] });

describe("a graph that writes directly", () => {
  it("keeps what nodes return, follows its edges, and goes where its routers say", async () => {
    const router = new DirectRunnable("router", ({ path }: typeof State.State) => (path.length < 4 ? "again" : "done"));
    const graph = new StateGraph(State)
      .addNode("one", visit("one"))
      .addNode("two", new DirectRunnable("two", visit("two")))
      .addEdge(START, "one")
      .addEdge("one", "two")
      .addConditionalEdges("two", router, { again: "one", done: END })
      .compile();
    writeDirectly(graph);
    expect(await graph.invoke({})).toEqual({ path: ["one", "two", "one", "two"] });
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

  it("still refuses what its schema refuses", async () => {
    const graph = new StateGraph(z.object({ count: z.number().default(0) }))
      .addNode("one", async () => ({ count: "three" }))
      .addEdge(START, "one")
      .compile();
    writeDirectly(graph);
    await expect(graph.invoke({})).rejects.toThrow(/expected number/);
  });
});
