import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import {
  type BaseCheckpointSaver,
  type LangGraphRunnableConfig,
  MessagesValue,
  START,
  StateGraph,
  StateSchema,
} from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type Agent, streamTurn, type TurnEvent, window } from "../../src/index.js";
import { ThreadCheckpointer } from "../../src/threads/checkpoints/checkpointer.js";
import { stepsIn } from "../helpers/turn-events.js";
import { matrix } from "../matrix/matrix.js";
import { memorySaver, savers } from "../matrix/savers.js";
import { act, agentWith, answer } from "./echo-agent.js";

const thread = { configurable: { thread_id: "outer" } };
const OuterState = new StateSchema({ messages: MessagesValue });

function around(agent: Agent, checkpointer: BaseCheckpointSaver) {
  return new StateGraph(OuterState).addNode("ask", agent).addEdge(START, "ask").compile({ checkpointer });
}

function idsOf(messages: readonly BaseMessage[]): (string | undefined)[] {
  return messages.map(({ id }) => id);
}

function callsOf(messages: readonly BaseMessage[]): (string | undefined)[] {
  return messages
    .flatMap((message) => (AIMessage.isInstance(message) ? (message.tool_calls ?? []) : []))
    .map(({ id }) => id);
}

function observedBy(messages: readonly BaseMessage[]): string[] {
  return messages.flatMap((message) => (ToolMessage.isInstance(message) ? [message.tool_call_id] : []));
}

const stepSchema = z.object({ act: z.object({ messages: z.array(z.object({ id: z.string() })).length(1) }) });

describe.each(matrix(savers, memorySaver))("an agent as a node of a graph, kept by $kept", ({ open }) => {
  it.each([{ checkpointer: undefined }, { checkpointer: true }, { checkpointer: false }])(
    "adds each turn with its steps to the outer conversation, with checkpointer: $checkpointer",
    async ({ checkpointer }) => {
      const { agent, model } = agentWith([act("one"), answer("One."), act("two"), answer("Two.")], { checkpointer });
      const outer = around(agent, await open());
      await outer.invoke({ messages: "First?" }, thread);
      const { messages } = await outer.invoke({ messages: "Second?" }, thread);
      expect(messages.map(({ type, text }) => `${type}: ${text}`)).toEqual([
        ...["human: First?", "ai: I look", "tool: echo of one", "ai: One."],
        ...["human: Second?", "ai: I look", "tool: echo of two", "ai: Two."],
      ]);
      expect(model.calls[2]?.prompt).toContain("\nQ: First?\nA: One.\n\nBegin!");
      expect(new Set(idsOf(messages)).size).toBe(8);
      expect(new Set(callsOf(messages)).size).toBe(2);
      expect(observedBy(messages)).toEqual(callsOf(messages));
      const longest = Math.max(...callsOf(messages).map((id) => id?.length ?? 0));
      expect(longest).toBeLessThanOrEqual(40);
      model.assertComplete();
    },
  );

  it.each([{ checkpointer: undefined }, { checkpointer: true }])(
    "resumes where it was stopped, with the same ids, with checkpointer: $checkpointer",
    async ({ checkpointer }) => {
      const { agent, model } = agentWith([act("one"), new Error("the model is away"), answer("One.")], {
        checkpointer,
      });
      const outer = around(agent, await open());
      const streamed: unknown[] = [];
      const run = async () => {
        const config = { ...thread, streamMode: "updates" as const, subgraphs: true as const };
        for await (const [, update] of await outer.stream({ messages: "First?" }, config)) streamed.push(update);
      };
      await expect(run()).rejects.toThrow("the model is away");
      const { messages } = await outer.invoke(null, thread);
      const [step] = streamed.flatMap((update) => stepSchema.safeParse(update).data ?? []);
      expect(step?.act.messages.map(({ id }) => id)).toEqual(idsOf(messages).slice(2, 3));
      expect(messages.at(-1)?.text).toBe("One.");
      expect(messages).toHaveLength(4);
      model.assertComplete();
    },
  );

  it("starts its turn again, with its calls, with checkpointer: false", async () => {
    const replies = [act("one"), new Error("the model is away"), act("one"), answer("One.")];
    const effects: string[] = [];
    const described = { name: "echo", description: "Notes a text.", schema: z.object({ text: z.string() }) };
    const note = tool(({ text }) => String(effects.push(text)), { ...described, metadata: { effects: true } });
    const { agent, model } = agentWith(replies, { checkpointer: false, tools: [note] });
    const checkpointer = await open();
    const outer = around(agent, checkpointer);
    await expect(outer.invoke({ messages: "First?" }, thread)).rejects.toThrow("the model is away");
    const { messages } = await outer.invoke(null, thread);
    expect(messages.map(({ text }) => text)).toEqual(["First?", "I look", "2", "One."]);
    expect(effects).toEqual(["one", "one"]);
    model.assertComplete();
    if (checkpointer instanceof ThreadCheckpointer) {
      expect(
        await checkpointer.database.all("select task from glassloop_writes where body like '%__glassloop%'"),
      ).toEqual([]);
    }
  });

  it("keeps the answers of two agents to the same question apart", async () => {
    const first = agentWith([act("one"), answer("One.")]).agent;
    const second = agentWith([act("two"), answer("Two.")]).agent;
    const outer = new StateGraph(OuterState)
      .addNode("first", first)
      .addNode("second", second)
      .addEdge(START, "first")
      .addEdge(START, "second")
      .compile({ checkpointer: await open() });
    const { messages } = await outer.invoke({ messages: "Which?" }, thread);
    expect(messages.map(({ text }) => text).sort()).toEqual(
      ["Which?", "I look", "I look", "echo of one", "echo of two", "One.", "Two."].sort(),
    );
    expect(new Set(callsOf(messages)).size).toBe(2);
  });

  it("emits the events of a turn that a node of the graph runs", async () => {
    const { agent } = agentWith([act("one"), answer("One.")]);
    const events: TurnEvent[] = [];
    const outer = new StateGraph(OuterState)
      .addNode("ask", async ({ messages }, config: LangGraphRunnableConfig) => {
        for await (const event of streamTurn(agent, { messages }, config)) events.push(event);
        return {};
      })
      .addEdge(START, "ask")
      .compile({ checkpointer: await open() });
    await outer.invoke({ messages: "First?" }, thread);
    expect(stepsIn(events)).toMatchObject(
      ["question", "thought", "action", "observation", "answer"].map((type) => ({ type, path: [] })),
    );
  });

  it("does not make a tool call of the outer conversation that another node will make", async () => {
    const { agent } = agentWith([answer("One.")]);
    const outer = around(agent, await open());
    const call = new AIMessage({ id: "a", content: "", tool_calls: [{ id: "call", name: "book", args: {} }] });
    const { messages } = await outer.invoke({ messages: [call, new HumanMessage("Well?")] }, thread);
    expect(messages.map(({ type }) => type)).toEqual(["ai", "human", "ai"]);
  });
});

it("a conversation from the caller is shown to the model in the turns that the memory keeps", async () => {
  const { agent, model } = agentWith([answer("Three.")], { memory: window({ turns: 1 }) });
  await agent.invoke({
    messages: [
      ...[new HumanMessage("First?"), new AIMessage("One."), new HumanMessage("Second?")],
      ...[new AIMessage("Two,"), new AIMessage("or 2."), new HumanMessage("Third?")],
    ],
  });
  expect(model.calls[0]?.prompt).toContain("\nQ: Second?\nA: Two,\nor 2.\n\nBegin!");
  expect(model.calls[0]?.prompt).not.toContain("First?");
});
