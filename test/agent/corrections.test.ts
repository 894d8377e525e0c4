import { AIMessage, type BaseMessage, HumanMessage, RemoveMessage } from "@langchain/core/messages";
import { MemorySaver, REMOVE_ALL_MESSAGES } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent/create-agent.js";
import type { Agent } from "../../src/graph/agent.js";
import { type Memory, window } from "../../src/memory/index.js";
import { type ScriptedReply, scriptedModel } from "../../src/testing/index.js";
import { calculator } from "../../src/tools/calculator/calculator.js";
import { textTool } from "../helpers/tools.js";
import { dialects, inReact, inToolCalls } from "../matrix/dialects.js";
import { matrix } from "../matrix/matrix.js";
import { memorySaver, savers } from "../matrix/savers.js";
import { at } from "../threads/open-kind.js";

const calculate = " Sum\nAction: calculator\nAction Input: 2+2";
const answer = (text: string) => ` I know\nFinal Answer: ${text}`;

async function world(open: () => Promise<BaseCheckpointSaver>, replies: readonly ScriptedReply[], memory?: Memory) {
  const model = scriptedModel(replies);
  const options = { tools: [calculator()], protocol: "react", rephrase: false, ...(memory && { memory }) } as const;
  const agent = createAgent({ model, ...options, checkpointer: await open() });
  return { agent, seen: () => model.calls.at(-1)?.prompt ?? "" };
}

/** Asks questions one after the other. Returns the ids of the messages after the last one. */
async function ask(agent: Agent, ...questions: string[]): Promise<string[]> {
  for (const messages of questions) await agent.invoke({ messages }, at("t"));
  return idsOf(agent);
}

async function idsOf(agent: Agent): Promise<string[]> {
  const { values } = await agent.getState(at("t"));
  return values.messages.map(({ id }: { id: string }) => id);
}

const change = (id: string | undefined, content: string) => new AIMessage({ id: id ?? "none", content });
const remove = (ids: readonly string[]) => ids.map((id) => new RemoveMessage({ id }));

describe.each(matrix(dialects, inReact, inToolCalls))(
  "a call that a person put in place of another ($protocol)",
  ({ protocol, act, answer: say }) => {
    test("runs with the edited input, and is shown to the model as edited, in its turn and later", async () => {
      const inputs: string[] = [];
      const echo = textTool("echo", (text) => `echo ${inputs.push(text)}`);
      const theirs = protocol === "self-ask" ? "theirs" : { text: "theirs" };
      const model = scriptedModel([act("echo", theirs), say("One."), say("Two.")]);
      const options = { tools: [echo], protocol, rephrase: false, memory: window({ turns: 9, steps: 1 }) };
      const agent = createAgent({ model, ...options, checkpointer: new MemorySaver() });
      await agent.invoke({ messages: "First?" }, { ...at("t"), interruptBefore: ["act"] });
      const { decision } = (await agent.getState(at("t"))).values;
      const mine = protocol === "self-ask" ? "mine" : { text: "mine" };
      const actions = decision.actions.map((action: object) => ({ ...action, toolInput: mine, log: "" }));
      await agent.updateState(at("t"), { decision: { ...decision, actions } }, "parse");
      const { messages } = await agent.invoke(null, at("t"));
      expect(inputs).toEqual(["mine"]);
      expect(messages.map((message: BaseMessage) => message.getType())).toEqual(["human", "ai", "tool", "ai"]);
      await agent.invoke({ messages: "Second?" }, at("t"));
      const shown = model.calls.at(-1)?.messages.map((message) => [message.text, Object(message).tool_calls]);
      expect(JSON.stringify(shown)).toContain("mine");
      expect(JSON.stringify(shown)).not.toContain("theirs");
      if (protocol !== "tool-calling") return;
      expect(model.calls[1]?.messages.slice(-2)).toMatchObject([
        { text: "I need a tool", tool_calls: [{ id: "native", args: { text: "mine" } }] },
        { tool_call_id: "native", content: "echo 1" },
      ]);
    });
  },
);

describe.each(matrix(savers, memorySaver))("in a thread kept by $kept, the model sees", ({ open }) => {
  test("the question that a person changed while its turn was stopped", async () => {
    const { agent, seen } = await world(open, ["One.", "Two."].map(answer));
    await agent.invoke({ messages: "First?" }, { ...at("t"), interruptBefore: ["parse"] });
    const [id = ""] = await idsOf(agent);
    await agent.updateState(at("t"), { messages: [new HumanMessage({ id, content: "The first?" })] }, "plan");
    await agent.invoke(null, at("t"));
    await ask(agent, "Second?");
    expect(seen()).toContain("Q: The first?\nA: One.\n");
  });

  test("nothing of a turn that was removed, and what is left of the others", async () => {
    const replies = [answer("One."), calculate, answer("Two."), ...["Three.", "Four.", "Five.", "Six."].map(answer)];
    const { agent, seen } = await world(open, replies);
    const ids = await ask(agent, "First?", "Second?", "Third?", "Fourth?", "Fifth?");
    expect(ids).toHaveLength(12);
    await agent.updateState(at("t"), { messages: remove([...ids.slice(2, 6), ...ids.slice(7, 9), ...ids.slice(11)]) });
    await ask(agent, "Sixth?");
    expect(seen()).toContain("Q: First?\nA: One.\nQ: Third?\nA: Four.\nQ: Fifth?\n\nBegin!");
    expect(seen()).toContain("Question: Sixth?\n");
  });

  test("nothing of a conversation that was removed", async () => {
    const { agent, seen } = await world(open, ["One.", "Two."].map(answer));
    await ask(agent, "First?");
    await agent.updateState(at("t"), { messages: [new RemoveMessage({ id: REMOVE_ALL_MESSAGES })] });
    const { chatHistory } = await agent.invoke({ messages: "Second?" }, at("t"));
    expect(seen()).not.toContain("First?");
    expect(chatHistory.turns).toEqual([]);
  });

  test("a question that was interrupted or has no answer, and the answer that a person gave it", async () => {
    const filtered = new AIMessage({ content: "", response_metadata: { finish_reason: "content_filter" } });
    const replies = [answer("One?"), filtered, answer("Three."), answer("Four.")];
    const { agent, seen } = await world(open, replies);
    await agent.invoke({ messages: "First?" }, { ...at("t"), interruptBefore: ["parse"] });
    const ids = await ask(agent, "Second?", "Third?");
    expect(seen()).toContain("Q: First?\nA: I did not answer this question: the turn was interrupted.\n");
    expect(seen()).toMatch(/\nQ: Second\?\nA: I stopped without an answer/);
    await agent.updateState(at("t"), { messages: [change(ids[1], "One."), change(ids[3], "Two.")] });
    await ask(agent, "Fourth?");
    expect(seen()).toContain("Q: First?\nA: One.\nQ: Second?\nA: Two.\nQ: Third?\nA: Three.\n");
  });

  test("no turn that the memory dropped, even if it is changed", async () => {
    const replies = ["One.", "Two.", "Three."].map(answer);
    const { agent, seen } = await world(open, replies, window({ turns: 1 }));
    const ids = await ask(agent, "First?", "Second?");
    await agent.updateState(at("t"), { messages: [change(ids[1], "Eins.")] });
    await ask(agent, "Third?");
    expect(seen()).toContain("\nQ: Second?\nA: Two.\n\nBegin!");
  });
});
