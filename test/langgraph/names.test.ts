import type { RunnableConfig } from "@langchain/core/runnables";
import { Annotation, Command, MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { describe, expect, it, vi } from "vitest";
import {
  ABORT_SIGNALS_KEY,
  BRANCH_PREFIX,
  CHECKPOINTER_KEY,
  INPUT_CHANNEL,
  READ_KEY,
  SEND_KEY,
} from "../../src/langgraph/names.js";

const State = Annotation.Root({ count: Annotation<number>() });
const thread = { configurable: { thread_id: "t" } };

/** A graph of two nodes on a thread, the configs that its first node was given, and what its threads are kept with. */
function twoNodes() {
  const saver = new MemorySaver();
  const configs: RunnableConfig[] = [];
  const graph = new StateGraph(State)
    .addNode("one", (_state, config) => {
      configs.push(config);
      return new Command({ update: { count: 1 } });
    })
    .addNode("two", ({ count }) => ({ count: count + 1 }))
    .addEdge(START, "one")
    .addEdge("one", "two")
    .compile({ checkpointer: saver });
  return { graph, saver, configs };
}

async function channelsOf(saver: MemorySaver): Promise<string[]> {
  const channels = new Set<string>();
  for await (const { checkpoint } of saver.list(thread)) {
    for (const channel of Object.keys(checkpoint.channel_versions)) channels.add(channel);
  }
  return [...channels].sort();
}

describe("LangGraph's own names are still", () => {
  it("those of its channels", async () => {
    const { graph, saver } = twoNodes();
    await graph.invoke({ count: 0 }, thread);
    expect(INPUT_CHANNEL).toBe(START);
    expect(await channelsOf(saver)).toEqual(
      [INPUT_CHANNEL, `${BRANCH_PREFIX}one`, `${BRANCH_PREFIX}two`, "count"].sort(),
    );
  });

  it("those of an update that counts as the input", async () => {
    const { graph } = twoNodes();
    await graph.invoke({ count: 0 }, thread);
    await graph.updateState(thread, { count: 5 }, INPUT_CHANNEL);
    expect((await graph.getState(thread)).next).toEqual(["one"]);
  });

  it("those in a node's config", async () => {
    const { graph, saver, configs } = twoNodes();
    await graph.invoke({ count: 0 }, thread);
    expect(configs[0]?.configurable?.[READ_KEY]).toBeTypeOf("function");
    expect(configs[0]?.configurable?.[SEND_KEY]).toBeTypeOf("function");
    expect(configs[0]?.configurable?.[CHECKPOINTER_KEY]).toBe(saver);
    expect(configs[0]?.configurable?.[ABORT_SIGNALS_KEY]).toHaveProperty("externalAbortSignal");
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
