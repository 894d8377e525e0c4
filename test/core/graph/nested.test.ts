import { AIMessage, type BaseMessage, HumanMessage, isBaseMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import {
  type BaseCheckpointSaver,
  END,
  type LangGraphRunnableConfig,
  MemorySaver,
  MessagesValue,
  START,
  StateGraph,
  StateSchema,
} from "@langchain/langgraph";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Agent, openThreads, streamTurn, type Threads, type TurnEvent, window } from "../../../src/index.js";
import { ThreadCheckpointer } from "../../../src/threads/checkpoints/checkpointer.js";
import { stepsIn } from "../../helpers/turn-events.js";
import { wholeMessages } from "../../helpers/whole-messages.js";
import { act, agentWith, answer } from "./echo-agent.js";

const thread = { configurable: { thread_id: "outer" } };
const OuterState = new StateSchema({ messages: MessagesValue });

function around(agent: Agent, checkpointer: BaseCheckpointSaver) {
  return new StateGraph(OuterState)
    .addNode("ask", agent)
    .addEdge(START, "ask")
    .addEdge("ask", END)
    .compile({ checkpointer });
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

const opened: Threads[] = [];
afterEach(async () => {
  for (const threads of opened.splice(0)) await threads.close();
});

const savers = [
  { kept: "by LangGraph's MemorySaver", open: async () => new MemorySaver() },
  {
    kept: "by openThreads",
    open: async () => {
      const threads = await openThreads("memory:");
      opened.push(threads);
      return threads.checkpointer;
    },
  },
];

describe.each(savers)("an agent as a node of a graph whose threads are kept $kept", ({ open }) => {
  it.each([{ checkpointer: undefined }, { checkpointer: true }, { checkpointer: false }])(
    "adds each turn with its steps to the outer conversation, with checkpointer: $checkpointer",
    async ({ checkpointer }) => {
      const { agent, model } = agentWith([act("one"), answer("One."), act("two"), answer("Two.")], { checkpointer });
      const outer = around(agent, await open());
      await outer.invoke({ messages: "First?" }, thread);
      const { messages } = await outer.invoke({ messages: "Second?" }, thread);
      expect(messages.map((message) => [message.type, message.text])).toEqual([
        ["human", "First?"],
        ["ai", "I look"],
        ["tool", "echo of one"],
        ["ai", "One."],
        ["human", "Second?"],
        ["ai", "I look"],
        ["tool", "echo of two"],
        ["ai", "Two."],
      ]);
      expect(new Set(idsOf(messages)).size).toBe(8);
      expect(new Set(callsOf(messages)).size).toBe(2);
      expect(observedBy(messages)).toEqual(callsOf(messages));
      const longest = Math.max(...callsOf(messages).map((id) => id?.length ?? 0));
      expect(longest).toBeLessThanOrEqual(40);
      model.assertComplete();
    },
  );

  it.each([{ checkpointer: undefined }, { checkpointer: true }])(
    "knows earlier turns by their answers, without thoughts and observations, with checkpointer: $checkpointer",
    async ({ checkpointer }) => {
      const { agent, model } = agentWith([act("one"), answer("One."), answer("Two.")], { checkpointer });
      const outer = around(agent, await open());
      await outer.invoke({ messages: "First?" }, thread);
      await outer.invoke({ messages: "Second?" }, thread);
      expect(model.calls.at(-1)?.prompt).toContain("\nQ: First?\nA: One.\n\nBegin!");
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
    const note = tool(({ text }) => String(effects.push(text)), {
      name: "echo",
      description: "Notes a text.",
      schema: z.object({ text: z.string() }),
      metadata: { effects: true },
    });
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
      .addEdge("first", END)
      .addEdge("second", END)
      .compile({ checkpointer: await open() });
    const { messages } = await outer.invoke({ messages: "Which?" }, thread);
    expect(messages.map(({ text }) => text).sort()).toEqual(
      ["Which?", "I look", "I look", "echo of one", "echo of two", "One.", "Two."].sort(),
    );
    expect(new Set(callsOf(messages)).size).toBe(2);
  });

  it("emits the events of a turn that a node of the graph runs", async () => {
    const { agent } = agentWith([act("one"), answer("One."), act("two"), answer("Two.")]);
    const events: TurnEvent[] = [];
    const outer = new StateGraph(OuterState)
      .addNode("ask", async ({ messages }, config: LangGraphRunnableConfig) => {
        for await (const event of streamTurn(agent, { messages }, config)) events.push(event);
        const last = events.findLast(({ type }) => type === "answer");
        return { messages: [new AIMessage(last?.type === "answer" ? last.text : "")] };
      })
      .addEdge(START, "ask")
      .addEdge("ask", END)
      .compile({ checkpointer: await open() });
    await outer.invoke({ messages: "First?" }, thread);
    const { messages } = await outer.invoke({ messages: "Second?" }, thread);
    expect(messages.map(({ text }) => text)).toEqual(["First?", "One.", "Second?", "Two."]);
    const turn = ["question", "thought", "action", "observation", "answer"];
    expect(stepsIn(events).map(({ type }) => type)).toEqual([...turn, ...turn]);
    expect(new Set(events.map(({ path }) => path.length))).toEqual(new Set([0]));
    const ids = events.flatMap((event) => (event.type === "action" ? [event.id] : []));
    expect(new Set(ids).size).toBe(2);
  });

  it.each([{ subgraphs: false }, { subgraphs: true }])(
    "shows each of its messages once in the stream of messages with subgraphs: $subgraphs",
    async ({ subgraphs }) => {
      const replies = [act("one"), answer("It is one."), "And what is two?", answer("It is two.")];
      const { agent, model } = agentWith(replies, { rephrase: true });
      const outer = around(agent, await open());
      const shown: BaseMessage[] = [];
      for (const messages of ["First?", "And second?"]) {
        const config = { ...thread, streamMode: "messages" as const, subgraphs };
        for await (const chunk of await outer.stream({ messages }, config))
          shown.push(...[chunk].flat(2).flatMap((part) => (isBaseMessage(part) ? [part] : [])));
      }
      expect(wholeMessages(shown).map(({ text }) => text)).toEqual([
        "I look",
        "echo of one",
        "It is one.",
        "It is two.",
      ]);
      model.assertComplete();
    },
  );

  it("does not make a tool call of the outer conversation that another node will make", async () => {
    const { agent } = agentWith([answer("One.")]);
    const outer = around(agent, await open());
    const call = new AIMessage({ id: "a", content: "", tool_calls: [{ id: "call", name: "book", args: {} }] });
    const { messages } = await outer.invoke({ messages: [call, new HumanMessage("Well?")] }, thread);
    expect(messages.map(({ type }) => type)).toEqual(["ai", "human", "ai"]);
  });
});

describe("a conversation from the caller", () => {
  it("keeps its answers when it is given back to an agent without a checkpointer", async () => {
    const { agent } = agentWith([act("one"), answer("One."), act("two"), answer("Two."), answer("Three.")]);
    const first = await agent.invoke({ messages: "First?" });
    const second = await agent.invoke({ messages: [...first.messages, new HumanMessage("Second?")] });
    const { messages } = await agent.invoke({ messages: [...second.messages, new HumanMessage("Third?")] });
    const answers = messages.filter((message) => AIMessage.isInstance(message) && !message.tool_calls?.length);
    expect(answers.map(({ text }) => text)).toEqual(["One.", "Two.", "Three."]);
    expect(new Set(callsOf(messages)).size).toBe(2);
  });

  it("keeps its answers on a thread of its own, too", async () => {
    const { agent } = agentWith(["One.", "Two.", "Three.", "Four."].map(answer), { checkpointer: new MemorySaver() });
    const from = { configurable: { thread_id: "from" } };
    const to = { configurable: { thread_id: "to" } };
    await agent.invoke({ messages: "First?" }, from);
    const { messages } = await agent.invoke({ messages: "Second?" }, from);
    await agent.invoke({ messages: [...messages, new HumanMessage("Third?")] }, to);
    const state = await agent.invoke({ messages: "Fourth?" }, to);
    expect(state.messages.map(({ text }) => text)).toEqual([
      "First?",
      "One.",
      "Second?",
      "Two.",
      "Third?",
      "Three.",
      "Fourth?",
      "Four.",
    ]);
    expect(state.turn.number).toBe(2);
  });

  it("is shown to the model in the turns that the memory keeps", async () => {
    const { agent, model } = agentWith([answer("Three.")], { memory: window({ turns: 1 }) });
    await agent.invoke({
      messages: [
        ["human", "First?"],
        ["ai", "One."],
        ["human", "Second?"],
        ["ai", "Two,"],
        ["ai", "or 2."],
        ["human", "Third?"],
      ],
    });
    expect(model.calls[0]?.prompt).toContain("\nQ: Second?\nA: Two,\nor 2.\n\nBegin!");
    expect(model.calls[0]?.prompt).not.toContain("First?");
  });
});

it("an agent in another graph treats all system messages of its conversation as instructions", async () => {
  const { agent, model } = agentWith([answer("done")]);
  const outer = around(agent, new MemorySaver());
  const messages = [
    ["system", "Be kind."],
    ["human", "One?"],
    ["ai", "One."],
    ["system", "Answer in French."],
    ["human", "Two?"],
  ] satisfies [string, string][];
  const { messages: after } = await outer.invoke({ messages }, thread);
  expect(model.calls[0]?.messages[0]?.text).toBe("Be kind.\n\nAnswer in French.");
  expect(after.at(-1)?.text).toBe("done");
});
