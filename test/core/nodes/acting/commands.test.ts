import { AIMessage, type BaseMessage, HumanMessage, isBaseMessage, ToolMessage } from "@langchain/core/messages";
import { type StructuredToolInterface, tool } from "@langchain/core/tools";
import { Command, END, MemorySaver, MessagesValue, Send, START, StateGraph, StateSchema } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent } from "../../../../src/index.js";
import { type ScriptedReply, scriptedModel } from "../../../../src/testing/index.js";
import { databases, sqlite } from "../../../matrix/databases.js";
import { matrix } from "../../../matrix/matrix.js";
import { memorySaver, savers } from "../../../matrix/savers.js";
import { checkpointerOf, openKind } from "../../../threads/open-kind.js";

const thread = { configurable: { thread_id: "t" } };

type Make = (call: { readonly id: string; readonly messages: readonly BaseMessage[] }) => unknown;

const runtimeSchema = z.looseObject({
  toolCallId: z.string(),
  state: z.object({ messages: z.array(z.custom<BaseMessage>(isBaseMessage)) }),
});

const toolOf = (name: string, make: Make, metadata = {}): StructuredToolInterface =>
  tool(
    async (_, runtime) => {
      const { toolCallId: id, state } = runtimeSchema.parse(runtime);
      return make({ id, messages: state.messages });
    },
    { name, description: `Does ${name}.`, schema: z.object({}), metadata },
  );

const calls = (...names: string[]): ScriptedReply => ({
  content: "I act",
  tool_calls: names.map((name) => ({ name, args: {} })),
});

const spoken = (messages: readonly BaseMessage[]) => messages.map((message) => `${message.getType()}: ${message.text}`);

/** Runs a turn in which the model calls a tool that returns a command, beside another one. */
async function turnWith(make: Make) {
  const model = scriptedModel([calls("command", "look"), "Done."]);
  const tools = [toolOf("command", make), toolOf("look", () => "seen")];
  const agent = createAgent({ model, tools, checkpointer: new MemorySaver() });
  const state = await agent.invoke({ messages: "Do it." }, thread);
  const [result] = state.intermediateSteps[0]?.results ?? [];
  return { state, result, said: spoken(state.messages), model };
}

describe("a command of a tool", () => {
  it("adds messages, after the results of the step", async () => {
    const { said, result } = await turnWith(() => new Command({ update: { messages: [["human", "By the way"]] } }));
    expect(result).toMatchObject({ observation: "command has run.", status: "success" });
    expect(said.slice(2)).toEqual(["tool: command has run.", "tool: seen", "human: By the way", "ai: Done."]);
  });

  it("may have the tool message of its call, which replaces ours", async () => {
    const { state, result } = await turnWith(
      ({ id, messages }) =>
        new Command({
          update: [["messages", [...messages, new ToolMessage({ tool_call_id: id, content: "noted", artifact: 7 })]]],
        }),
    );
    expect(result).toMatchObject({ observation: "noted", status: "success", artifact: 7 });
    const answers = state.messages.filter((message) => ToolMessage.isInstance(message));
    expect(answers).toMatchObject([{ content: "noted", artifact: 7 }, { content: "seen" }]);
    expect(spoken(state.messages)).toHaveLength(5);
  });

  it("replaces no tool message of another call, and writes no existing message again", async () => {
    const model = scriptedModel([calls("command", "look"), "Done."]);
    const command = toolOf("command", ({ id, messages }) => {
      const forged = new ToolMessage({ tool_call_id: id.replace(/1$/, "2"), content: "forged" });
      return new Command({ update: { messages: [...messages, forged, "more"] } });
    });
    const agent = createAgent({ model, tools: [command, toolOf("look", () => "seen")] });
    const stream = await agent.stream({ messages: "Do it." }, { streamMode: "updates" });
    const written: string[][] = [];
    for await (const { act } of stream)
      if (act) written.push(spoken(z.array(z.custom<BaseMessage>(isBaseMessage)).parse(act.messages)));
    expect(written).toEqual([["tool: command has run.", "tool: seen", "human: more"]]);
  });

  it("cannot write other keys, and the observation says so", async () => {
    const { state, result, model } = await turnWith(({ id }) => {
      const messages = [new ToolMessage({ tool_call_id: id, content: "noted" })];
      return new Command({ update: { answer: "x", user: "Ann", messages } });
    });
    const note =
      'A part of what command returned was left out. It writes "answer" and "user", and a tool may write only "messages".';
    expect(result).toMatchObject({ observation: "noted", note, status: "error" });
    expect(state.answer).toBe("Done.");
    expect(model.calls[1]?.prompt).toContain(note);
    expect(model.calls[1]?.prompt).not.toContain("undefined");
  });

  it("ends the turn with END, after the other calls of its step", async () => {
    const { state, said, model } = await turnWith(() => new Command({ goto: END }));
    expect(model.calls).toHaveLength(1);
    expect(state).toMatchObject({ answer: "command has run.", stopReason: "returned" });
    expect(said.slice(2)).toEqual(["tool: command has run.", "tool: seen", "ai: command has run."]);
  });

  it("may give the answer in its last message", async () => {
    const { state, said } = await turnWith(
      () => new Command({ goto: [END], update: { messages: [new HumanMessage("Stop."), new AIMessage("I stop.")] } }),
    );
    expect(state).toMatchObject({ answer: "I stop.", stopReason: "returned" });
    expect(said.slice(-3)).toEqual(["tool: seen", "human: Stop.", "ai: I stop."]);
  });

  it.each([
    [
      "goes to a missing node",
      new Command({ goto: "bob" }),
      'It goes to "bob", and a tool may go only to "plan" or END.',
    ],
    ["goes to a node with its own input", new Command({ goto: new Send("act", {}) }), 'It goes to "act"'],
    [
      "goes to a graph around it, and there is none",
      new Command({ goto: "bob", graph: Command.PARENT, update: { messages: ["hi"] } }),
      'It hands over to "bob", and this agent cannot: it runs in no graph',
    ],
    ["writes messages of no form", new Command({ update: { messages: [42] } }), "Its messages cannot be taken"],
  ])("that %s is an error observation", async (_, command, complaint) => {
    const { state, result } = await turnWith(() => command);
    expect(result).toMatchObject({ status: "error", note: expect.stringContaining(complaint) });
    expect(state.answer).toBe("Done.");
  });

  it("of a graph inside a tool is the tool's command", async () => {
    const inner = new StateGraph(new StateSchema({ messages: MessagesValue }))
      .addNode("go", () => new Command({ graph: Command.PARENT, goto: "plan", update: { messages: ["from inside"] } }))
      .addEdge(START, "go")
      .compile();
    const { said, result } = await turnWith(() => inner.invoke({ messages: "?" }));
    expect(result).toMatchObject({ observation: "command has run.", status: "success" });
    expect(said).toContain("human: from inside");
  });

  it.each(matrix(databases, sqlite))("survives the end of the process, kept by $name", async (kind) => {
    const checkpointer = checkpointerOf((await openKind(kind)).threads);
    const outcomes = () =>
      checkpointer.database.all("select 1 from glassloop_writes where body like '%__glassloop_ended%'");
    let runs = 0;
    const stop = new AbortController();
    const command = toolOf(
      "command",
      ({ id }) => {
        runs += 1;
        const noted = new ToolMessage({ tool_call_id: id, content: "noted", artifact: new Set([1]) });
        return new Command({ goto: END, update: { messages: [noted, new AIMessage("I stop.")] } });
      },
      { effects: true },
    );
    const look = toolOf("look", async () => {
      await expect.poll(outcomes).toHaveLength(1);
      stop.abort(new Error("killed"));
      return "seen";
    });
    const model = scriptedModel([calls("command", "look"), "Done."]);
    const agent = createAgent({ model, tools: [command, look], checkpointer, multitaskStrategy: "enqueue" });
    await expect(agent.invoke({ messages: "Do it." }, { ...thread, signal: stop.signal })).rejects.toThrow("killed");
    const state = await agent.invoke(null, thread);
    expect(state).toMatchObject({ answer: "I stop.", stopReason: "returned" });
    expect(state.intermediateSteps[0]?.results[0]?.artifact).toEqual(new Set([1]));
    expect(runs).toBe(1);
  });
});

describe("a hand-over to the graph around an agent", () => {
  const State = new StateSchema({ messages: MessagesValue, active: z.string().default("nobody") });

  /** Runs an agent in an outer graph. Its first step makes a call, and its second one hands over. */
  async function handedOver(make: Make, saver: BaseCheckpointSaver, ownThread?: true) {
    const model = scriptedModel([calls("look"), calls("transfer", "look"), "I stay."]);
    const tools = [toolOf("transfer", make), toolOf("look", () => "seen")];
    const own = { name: "alice", rephrase: false, ...(ownThread && { checkpointer: ownThread }) };
    const alice = createAgent({ model, tools, ...own });
    const graph = new StateGraph(State)
      .addNode("alice", alice, { ends: ["bob"] })
      .addNode("bob", ({ messages }) => ({ messages: [new AIMessage(`I am bob, after ${messages.length} messages.`)] }))
      .addEdge(START, "alice")
      .compile({ checkpointer: saver });
    return graph.invoke({ messages: "Bob, please." }, thread);
  }

  const toBob: Make = ({ id }) =>
    new Command({
      graph: Command.PARENT,
      goto: "bob",
      update: { active: "bob", messages: [new ToolMessage({ tool_call_id: id, content: "Transferred." })] },
    });
  const all = [
    "human: Bob, please.",
    "ai: I act",
    "tool: seen",
    "ai: I act",
    "tool: Transferred.",
    "tool: seen[You made this call before, with the same result. Do something else, or give the final answer.]",
    "ai: I am bob, after 6 messages.",
  ];

  it.each(matrix(savers, memorySaver))("carries all messages of the turn, kept by $kept", async ({ open }) => {
    const state = await handedOver(toBob, await open());
    expect(spoken(state.messages)).toEqual(all);
    expect(state.active).toBe("bob");
  });

  it("carries them when the tool gives the whole conversation, like the tools of langgraph-swarm", async () => {
    const state = await handedOver(({ id, messages: before }) => {
      const messages = [...before, new ToolMessage({ tool_call_id: id, content: "Transferred." })];
      return new Command({ graph: Command.PARENT, goto: "bob", update: { active: "bob", messages } });
    }, new MemorySaver());
    expect(spoken(state.messages)).toEqual(all);
  });

  it("is an error observation for an agent with a thread of its own, where LangGraph would lose the turn", async () => {
    const state = await handedOver(toBob, new MemorySaver(), true);
    const refusal =
      /^tool: Transferred\.A part of .* It hands over to "bob", and this agent cannot: .*\(checkpointer: true\)/;
    expect(spoken(state.messages)).toContainEqual(expect.stringMatching(refusal));
    expect(spoken(state.messages).at(-1)).toBe("ai: I stay.");
  });

  it("may send an input of its own to the node", async () => {
    const goto = new Send("bob", { messages: ["only this"] });
    const state = await handedOver(() => new Command({ graph: Command.PARENT, goto }), new MemorySaver());
    expect(spoken(state.messages).at(-1)).toBe("ai: I am bob, after 1 messages.");
    expect(spoken(state.messages)).toContain("tool: transfer has run.");
  });
});
