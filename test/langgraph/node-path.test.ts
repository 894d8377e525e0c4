import type { RunnableConfig } from "@langchain/core/runnables";
import { Annotation, type LangGraphRunnableConfig, MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { expect, it } from "vitest";
import { canHandOver, isInOuterGraph, isNested, nodesIn } from "../../src/langgraph/node-path.js";

const State = Annotation.Root({ count: Annotation<number>() });
const thread = { configurable: { thread_id: "t" } };

/** What is read of the place of the node `inner`: in a graph that stands alone, that is a node, and that a node calls. */
async function places() {
  const seen: unknown[] = [];
  const look = (config: RunnableConfig) =>
    seen.push([nodesIn(config), isInOuterGraph(config), canHandOver(config), isNested(config.configurable ?? {})]);
  const graph = (checkpointer?: MemorySaver | true) =>
    new StateGraph(State)
      .addNode("inner", (_state, config: LangGraphRunnableConfig) => {
        look(config);
        return {};
      })
      .addEdge(START, "inner")
      .compile({ checkpointer });
  await graph(new MemorySaver()).invoke({ count: 0 }, thread);
  const [child, called, own] = [graph(), graph(), graph(true)];
  const outer = new StateGraph(State)
    .addNode("child", child)
    .addNode("calls", async (state, config) => {
      await called.invoke(state, config);
      await called.invoke(state, config);
      return {};
    })
    .addNode("own", own)
    .addEdge(START, "child")
    .addEdge("child", "calls")
    .addEdge("calls", "own")
    .compile({ checkpointer: new MemorySaver() });
  await outer.invoke({ count: 0 }, thread);
  return seen;
}

it("a node's path has its outer nodes, and tells whether an outer graph can be reached", async () => {
  expect(await places()).toEqual([
    [["inner"], false, false, true],
    [["child", "inner"], true, true, true],
    [["calls", "inner"], true, true, true],
    [["calls", "inner"], true, true, true],
    [["own", "inner"], true, false, true],
  ]);
});

it("a graph outside of any node is not nested", () => {
  expect(isNested(thread.configurable)).toBe(false);
  expect(nodesIn({})).toEqual([]);
});
