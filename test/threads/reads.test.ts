import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createAgent } from "../../src/agent/create-agent.js";
import { scriptedModel } from "../../src/testing/index.js";
import type { Threads } from "../../src/threads/open.js";
import { databases, memory } from "../matrix/databases.js";
import { matrix } from "../matrix/matrix.js";
import { allOf, at, openKind } from "./open-kind.js";

afterEach(() => {
  vi.useRealTimers();
});

/** A graph that stops before it pays, and notes what it pays. */
function payingGraph({ checkpointer }: Threads) {
  const paid: unknown[] = [];
  const call = { id: "call", name: "pay", args: { euros: 10 } };
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("agent", () => ({ messages: [new AIMessage({ id: "reply", content: "", tool_calls: [call] })] }))
    .addNode("tools", ({ messages }) => {
      paid.push(argsIn(messages));
      return {};
    })
    .addEdge(START, "agent")
    .addEdge("agent", "tools")
    .addEdge("tools", END)
    .compile({ checkpointer, interruptBefore: ["tools"] });
  const ask = () => graph.invoke({ messages: [new HumanMessage({ id: "question", content: "Pay" })] }, at("t"));
  return { graph, ask, paid };
}

function argsIn(messages: readonly BaseMessage[]): Record<string, unknown> {
  const last = messages.at(-1);
  if (!(last instanceof AIMessage) || last.tool_calls?.[0] === undefined) throw new Error("There is no call.");
  return last.tool_calls[0].args;
}

type Paying = ReturnType<typeof payingGraph>["graph"];

/** The ways to read the newest state. Each returns its messages. */
const readers: Record<string, (graph: Paying, threads: Threads) => Promise<BaseMessage[]>> = {
  getState: async (graph) => (await graph.getState(at("t"))).values.messages,
  getStateHistory: async (graph) => (await allOf(graph.getStateHistory(at("t"))))[0]?.values.messages,
  getTuple: async (_, { checkpointer }) =>
    (await checkpointer.getTuple(at("t")))?.checkpoint.channel_values.messages as BaseMessage[],
  list: async (_, { checkpointer }) =>
    (await allOf(checkpointer.list(at("t"))))[0]?.checkpoint.channel_values.messages as BaseMessage[],
};

describe.each(matrix(databases, memory))("what is read from a thread in $name", (kind) => {
  test.each(Object.entries(readers))("by %s can be changed by its reader without effect on others", async (_, read) => {
    const { threads } = await openKind(kind);
    const { graph, ask, paid } = payingGraph(threads);
    await ask();
    const messages = await read(graph, threads);
    argsIn(messages).euros = 99;
    messages.length = 0;
    for (const other of Object.values(readers)) expect(argsIn(await other(graph, threads))).toEqual({ euros: 10 });
    await graph.invoke(null, at("t"));
    expect(paid).toEqual([{ euros: 10 }]);
  });

  test("as the result of a run can be changed by its reader, too", async () => {
    const { threads } = await openKind(kind);
    const { graph, ask, paid } = payingGraph(threads);
    argsIn((await ask()).messages).euros = 99;
    expect(argsIn((await graph.getState(at("t"))).values.messages)).toEqual({ euros: 10 });
    await graph.invoke(null, at("t"));
    expect(paid).toEqual([{ euros: 10 }]);
  });

  test("can be changed in place and written back, as LangGraph's documentation does it", async () => {
    const { threads } = await openKind(kind);
    const { graph, ask, paid } = payingGraph(threads);
    await ask();
    const { values, config } = await graph.getState(at("t"));
    const last = values.messages.at(-1);
    argsIn(values.messages).euros = 99;
    await graph.updateState(config, { messages: last });
    expect(argsIn((await graph.getState(at("t"))).values.messages)).toEqual({ euros: 99 });
    expect(argsIn((await graph.getState(config)).values.messages)).toEqual({ euros: 10 });
    await graph.invoke(null, at("t"));
    expect(paid).toEqual([{ euros: 99 }]);
  });
});

test("a run does not hang with a test runner's fake timers", async () => {
  const { threads } = await openKind(memory);
  vi.useFakeTimers({ now: Date.now() });
  const { checkpointer } = threads;
  const agent = createAgent({ model: scriptedModel([" I know\nFinal Answer: 4"]), protocol: "react", checkpointer });
  expect((await agent.invoke({ messages: "2 + 2" }, at("t"))).answer).toBe("4");
});
