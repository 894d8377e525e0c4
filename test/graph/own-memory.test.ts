import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import {
  type BaseCheckpointSaver,
  Command,
  type LangGraphRunnableConfig,
  MessagesValue,
  Send,
  START,
  StateGraph,
  StateSchema,
} from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  type Agent,
  type AgentOptions,
  approvalRequests,
  createAgent,
  decide,
  InvalidOptionError,
} from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { coded } from "../helpers/coded.js";
import { matrix } from "../matrix/matrix.js";
import { memorySaver, savers } from "../matrix/savers.js";

const thread = { configurable: { thread_id: "t" } };
const Messages = new StateSchema({ messages: MessagesValue });
type Conversation = typeof Messages.State;
type AskNode = (state: Conversation, config: LangGraphRunnableConfig) => Promise<Conversation>;

const askedFor = (amount: number) => ({ messages: [new HumanMessage({ content: `Pay ${amount}.`, id: `${amount}` })] });
const texts = (messages: readonly BaseMessage[]) => messages.map(({ text }) => text).filter((text) => text !== "");

/** An agent that pays what it is asked to, and what was paid. */
function payer(options: Partial<AgentOptions>) {
  const paid: number[] = [];
  const note = ({ amount }: { amount: number }) => {
    paid.push(amount);
    return `Paid ${amount}.`;
  };
  const pay = tool(note, {
    name: "pay",
    description: "Pays an amount.",
    schema: z.object({ amount: z.number() }),
    metadata: { effects: true },
  });
  const reply = (messages: readonly BaseMessage[]) => {
    const amount = Number(messages.findLast(({ type }) => type === "human")?.text.match(/\d+/));
    if (messages.at(-1)?.type === "tool") return `${amount} is paid.`;
    return { tool_calls: [{ name: "pay", args: { amount } }] };
  };
  const model = scriptedModel(Array(9).fill(reply));
  return { agent: createAgent({ model, tools: [pay], ...options }), model, paid };
}

/** A graph in which the agent has the node "pay", or another node does that asks it. */
function around(agent: Agent | AskNode) {
  return new StateGraph(Messages).addNode("pay", agent).addEdge(START, "pay");
}

/** A graph that sends the node "pay" two questions. */
function sending(node: Agent | AskNode, checkpointer: BaseCheckpointSaver) {
  return new StateGraph(Messages)
    .addNode("pay", node)
    .addConditionalEdges(START, () => [1, 2].map((amount) => new Send("pay", askedFor(amount))))
    .compile({ checkpointer });
}

/** Approves all that is asked. */
function approval(interrupts: readonly { readonly id?: string }[]) {
  const answers = interrupts.map(({ id = "", ...asked }) => {
    const requests = approvalRequests({ __interrupt__: [{ id, ...asked }] });
    return [id, Object.fromEntries(requests.map((request) => [request.id, { type: "approve" }]))];
  });
  return new Command<unknown, never, never>({ resume: Object.fromEntries(answers) });
}

const alone =
  (agent: Agent): AskNode =>
  ({ messages }, config) =>
    agent.invoke({ messages }, config);

/** Counts the tasks that came. A later one waits until the first has ended. */
function inTurn(agent: Agent): AskNode {
  let before: Promise<unknown> = Promise.resolve();
  return ({ messages }, config) => {
    const run = before.then(() => agent.invoke({ messages }, config));
    before = run.catch(() => undefined);
    return run;
  };
}

describe.each(matrix(savers, memorySaver))("two tasks of one super-step that run an agent, in $kept", ({ open }) => {
  it("have steps, questions and decisions of their own", async () => {
    const { agent, paid } = payer({ approve: "effects" });
    const graph = sending(agent, await open());
    await graph.invoke({ messages: [] }, thread);
    const { tasks } = await graph.getState(thread);
    const { messages } = await graph.invoke(approval(tasks.flatMap(({ interrupts }) => interrupts)), thread);
    expect(paid.toSorted()).toEqual([1, 2]);
    expect(texts(messages)).toEqual(["Pay 1.", "Paid 1.", "1 is paid.", "Pay 2.", "Paid 2.", "2 is paid."]);
  });

  it.each([
    ["as their node", (agent: Agent) => agent],
    ["in a function", alone],
    ["in a graph of their own", (agent: Agent) => around(agent).compile()],
  ])("%s are refused if it has one memory for both, before anything runs", async (_, node) => {
    const { agent, model, paid } = payer({ checkpointer: true });
    const graph = sending(Object(node(agent)), await open());
    const refusal = await graph.invoke({ messages: [] }, thread).catch((error: unknown) => error);
    expect(refusal).toEqual(coded(InvalidOptionError, "invalid-option"));
    expect([model.calls.length, paid]).toEqual([0, []]);
  });

  it("are refused if one waits for a person when the other starts", async () => {
    const { agent, model, paid } = payer({ approve: "effects", checkpointer: true });
    const graph = sending(inTurn(agent), await open());
    await expect(graph.invoke({ messages: [] }, thread)).rejects.toThrow(/checkpointer: with true the agent has one/);
    expect([model.calls.length, paid]).toEqual([1, []]);
  });

  it("share its memory if one starts after the other has ended", async () => {
    const { agent, paid } = payer({ checkpointer: true });
    const { messages } = await sending(inTurn(agent), await open()).invoke({ messages: [] }, thread);
    expect(paid).toEqual([1, 2]);
    expect(texts(messages)).toContain("2 is paid.");
  });
});

describe.each(matrix(savers, memorySaver))("an agent with a memory of its own in a graph, in $kept", ({ open }) => {
  it("has one for each of its nodes", async () => {
    const { agent, paid } = payer({ approve: "effects", checkpointer: true });
    const graph = around(agent)
      .addNode("also-pay", agent)
      .addEdge(START, "also-pay")
      .compile({ checkpointer: await open() });
    await graph.invoke(askedFor(1), thread);
    const { tasks } = await graph.getState(thread);
    await graph.invoke(approval(tasks.flatMap(({ interrupts }) => interrupts)), thread);
    expect(paid).toEqual([1, 1]);
  });

  it("answers a question whose turn was stopped before it began", async () => {
    const { agent, paid } = payer({ checkpointer: true });
    let isAway = false;
    const ask: AskNode = ({ messages }, config) => {
      if (isAway) throw new Error("away");
      return agent.invoke({ messages: messages.slice(-1) }, config);
    };
    const graph = around(ask).compile({ checkpointer: await open() });
    await graph.invoke(askedFor(1), thread);
    isAway = true;
    await expect(graph.invoke(askedFor(2), thread)).rejects.toThrow("away");
    isAway = false;
    const { messages } = await graph.invoke(null, thread);
    expect(messages.at(-1)?.text).toBe("2 is paid.");
    expect(paid).toEqual([1, 2]);
  });

  it("answers each question if the graph stops before the agent", async () => {
    const { agent, paid } = payer({ checkpointer: true });
    const graph = around(agent).compile({ checkpointer: await open(), interruptBefore: ["pay"] });
    for (const amount of [1, 2]) {
      await graph.invoke(askedFor(amount), thread);
      const { messages } = await graph.invoke(null, thread);
      expect(messages.at(-1)?.text).toBe(`${amount} is paid.`);
    }
    expect(paid).toEqual([1, 2]);
  });

  it("is refused when it resumes after an interrupt, if an outer graph has no checkpointer", async () => {
    const { agent, paid } = payer({ approve: "effects", checkpointer: true });
    const graph = around(Object(around(agent).compile({ checkpointer: false }))).compile({
      checkpointer: await open(),
    });
    const [asked] = approvalRequests(await graph.invoke(askedFor(1), thread));
    const going = graph.invoke(decide({ [asked?.id ?? ""]: "approve" }), thread);
    await expect(going).rejects.toThrow("No graph around the agent may have false.");
    expect(paid).toEqual([]);
  });

  it("is refused when it asks a person, if it has no checkpointer itself", async () => {
    const { agent, paid } = payer({ approve: "effects", checkpointer: false });
    const graph = around(agent).compile({ checkpointer: await open() });
    await expect(graph.invoke(askedFor(1), thread)).rejects.toThrow(
      /this agent keeps none; leave out checkpointer: false/,
    );
    expect(paid).toEqual([]);
  });
});
