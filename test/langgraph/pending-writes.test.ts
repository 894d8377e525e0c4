import { Annotation, Command, interrupt, MemorySaver, Send, START, StateGraph } from "@langchain/langgraph";
import { expect, it } from "vitest";
import { nextNodes, sendData } from "../../src/langgraph/pending-nodes.js";
import { askedIn, failureIn, waitsForAnswer } from "../../src/langgraph/pending-writes.js";

const State = Annotation.Root({ word: Annotation<string>() });
const thread = { configurable: { thread_id: "t" } };

/** A graph whose two nodes ask a person, side by side. The second one fails after its answer. */
function askingGraph() {
  const checkpointer = new MemorySaver();
  const graph = new StateGraph(State)
    .addNode("one", () => ({ word: interrupt<string, string>("one?") }))
    .addNode("two", () => {
      throw new TypeError(`no ${interrupt("two?")}`);
    })
    .addEdge(START, "one")
    .addEdge(START, "two")
    .compile({ checkpointer });
  return { graph, checkpointer };
}

it("the pending writes of a checkpoint tell which tasks interrupted, have a resume value, or failed", async () => {
  const { graph, checkpointer } = askingGraph();
  const writes = async () => (await checkpointer.getTuple(thread))?.pendingWrites ?? [];
  await graph.invoke({ word: "" }, thread);
  const asked = askedIn(await writes());
  expect(asked.map(({ value }) => value)).toEqual(["one?", "two?"]);
  expect([waitsForAnswer(await writes()), failureIn(await writes())]).toEqual([true, undefined]);
  const resume = Object.fromEntries(asked.map(({ id }) => [id, "more"]));
  await expect(graph.invoke(new Command({ resume }), thread)).rejects.toThrow("no more");
  expect([waitsForAnswer(await writes()), failureIn(await writes())]).toEqual([false, "no more"]);
});

it("the next nodes are those of LangGraph's getState, at each checkpoint", async () => {
  const checkpointer = new MemorySaver();
  const graph = new StateGraph(State)
    .addNode("one", () => ({ word: "one" }))
    .addNode("two", () => ({ word: "two" }))
    .addEdge(START, "one")
    .addEdge("one", "two")
    .compile({ checkpointer });
  await graph.invoke({ word: "" }, thread);
  const found: string[][] = [];
  for await (const tuple of checkpointer.list(thread)) found.push(nextNodes(tuple));
  const named: string[][] = [];
  for await (const { next } of graph.getStateHistory(thread)) named.push(next);
  expect(found).toEqual(named);
  expect(found).toEqual([[], ["two"], ["one"], [START]]);
});

it("a Send packet of LangGraph is recognised, and no other value", () => {
  expect(sendData(new Send("one", { word: "a" }))).toEqual({ node: "one", args: { word: "a" } });
  expect(sendData({ node: "one", args: {} })).toBeUndefined();
});
