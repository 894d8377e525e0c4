import type { RunnableConfig } from "@langchain/core/runnables";
import { Annotation, Command, MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { describe, expect, it, vi } from "vitest";
import { ABORT_SIGNALS_KEY, CHECKPOINTER_KEY, INPUT_CHANNEL, READ_KEY, SEND_KEY } from "../../src/langgraph/names.js";

const State = Annotation.Root({ count: Annotation<number>() });

describe("LangGraph's own names are still", () => {
  it("those in a node's config", async () => {
    const checkpointer = new MemorySaver();
    const configs: RunnableConfig[] = [];
    const graph = new StateGraph(State)
      .addNode("one", (_state, config) => {
        configs.push(config);
        return new Command({ update: { count: 1 } });
      })
      .addEdge(START, "one")
      .compile({ checkpointer });
    await graph.invoke({ count: 0 }, { configurable: { thread_id: "t" } });
    expect(configs[0]?.configurable?.[READ_KEY]).toBeTypeOf("function");
    expect(configs[0]?.configurable?.[SEND_KEY]).toBeTypeOf("function");
    expect(configs[0]?.configurable?.[CHECKPOINTER_KEY]).toBe(checkpointer);
    expect(configs[0]?.configurable?.[ABORT_SIGNALS_KEY]).toHaveProperty("externalAbortSignal");
    expect(INPUT_CHANNEL).toBe(START);
  });

  it("those that tell a graph inside a node from a graph at the top", async () => {
    const told = oneNode();
    const outer = new StateGraph(State).addNode("told", told).addEdge(START, "told").compile();
    const calls = new StateGraph(State)
      .addNode("calls", async () => told.invoke({ count: 0 }))
      .addEdge(START, "calls")
      .compile();
    const iterator = vi.spyOn(told, "_streamIterator");
    await told.invoke({ count: 0 });
    await outer.invoke({ count: 0 });
    await calls.invoke({ count: 0 });
    const alone = iterator.mock.calls.map(([, options]) => options?.configurable?.[READ_KEY] === undefined);
    expect(alone).toEqual([true, false, false]);
  });

  it.each<[string, (graph: ReturnType<typeof oneNode>) => Promise<unknown>]>([
    ["invoke", (graph) => graph.invoke({ count: 0 })],
    ["stream", async (graph) => readAll(await graph.stream({ count: 0 }))],
    ["streamEvents v2", async (graph) => readAll(graph.streamEvents({ count: 0 }, { version: "v2" }))],
    ["streamEvents v3", async (graph) => readAll(await graph.streamEvents({ count: 0 }, { version: "v3" }))],
    ["streamLog", async (graph) => readAll(graph.streamLog({ count: 0 }))],
    ["batch", (graph) => graph.batch([{ count: 0 }])],
  ])("the name of the iterator in which a run is guarded, which %s calls", async (_way, run) => {
    const graph = oneNode();
    const iterator = vi.spyOn(graph, "_streamIterator");
    await run(graph);
    expect(iterator).toHaveBeenCalledOnce();
  });
});

function oneNode() {
  return new StateGraph(State)
    .addNode("one", () => ({ count: 1 }))
    .addEdge(START, "one")
    .compile();
}

async function readAll(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events);
}
