import { Annotation, type LangGraphRunnableConfig, MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { expect, it } from "vitest";
import { checkpointOfNode, unforkedLine } from "../../src/langgraph/node-checkpoint.js";

const State = Annotation.Root({ count: Annotation<number>() });
const thread = { configurable: { thread_id: "t" } };

/** A graph with one node, and a graph around it, which calls it twice. The node keeps what it finds of its checkpoint. */
function nestedGraph() {
  const found: (readonly [namespace: unknown, isStored: boolean])[] = [];
  async function look(_state: unknown, config: LangGraphRunnableConfig) {
    const checkpoint = checkpointOfNode(config);
    const tuple = checkpoint && (await checkpoint.saver.getTuple(checkpoint.config));
    found.push([checkpoint?.config.configurable.checkpoint_ns, tuple?.checkpoint.id === checkpoint?.id]);
    await checkpoint?.saver.putWrites(checkpoint.config, [["note", "seen"]], `note-${found.length}`);
    return { count: found.length };
  }
  const inner = new StateGraph(State).addNode("look", look).addEdge(START, "look").compile();
  const outer = new StateGraph(State)
    .addNode("look", look)
    .addNode("calls", async () => {
      await inner.invoke({ count: 0 });
      return inner.invoke({ count: 0 });
    })
    .addEdge(START, "look")
    .addEdge("look", "calls");
  return { outer, found };
}

it("A node finds its checkpoint, also inside a subgraph, and LangGraph ignores the notes beside the checkpoint", async () => {
  const { outer, found } = nestedGraph();
  const graph = outer.compile({ checkpointer: new MemorySaver() });
  const state = await graph.invoke({ count: 0 }, { ...thread, durability: "sync" });
  expect(state).toEqual({ count: 3 });
  expect(found).toEqual([
    ["", true],
    [expect.stringMatching(/^calls:[^|]+$/), true],
    [expect.stringMatching(/^calls:[^|]+\|1$/), true],
  ]);
});

it("A node without a checkpointer has no checkpoint", async () => {
  const { outer, found } = nestedGraph();
  await outer.compile().invoke({ count: 0 });
  expect(found.map(([namespace]) => namespace)).toEqual([undefined, undefined, undefined]);
});

it("The line of a checkpoint ends at an update of an older checkpoint", async () => {
  const saver = new MemorySaver();
  const graph = new StateGraph(State)
    .addNode("one", () => ({ count: 1 }))
    .addNode("two", () => ({ count: 2 }))
    .addEdge(START, "one")
    .addEdge("one", "two")
    .compile({ checkpointer: saver });
  const sources = async () => {
    const newest = await saver.getTuple(thread);
    const found: unknown[] = [];
    if (newest) for await (const { metadata } of unforkedLine(saver, newest)) found.push(metadata?.source);
    return found;
  };
  await graph.invoke({ count: 0 }, { ...thread, interruptBefore: ["two"] });
  const before = await graph.getState(thread);
  await graph.updateState(thread, { count: 7 }, "one");
  expect(await sources()).toEqual(["update", "loop", "loop", "input"]);
  await graph.updateState(before.config, { count: 8 }, "one");
  expect(await sources()).toEqual(["update"]);
});
