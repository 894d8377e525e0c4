import { AIMessage, type BaseMessage, HumanMessage, RemoveMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver, REMOVE_ALL_MESSAGES } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent } from "../../src/agent/create-agent.js";
import type { Agent } from "../../src/core/agent.js";
import { type Memory, summary, window } from "../../src/memory/index.js";
import { type ScriptedReply, scriptedModel } from "../../src/testing/index.js";
import { calculator } from "../../src/tools/calculator/calculator.js";
import { dialects, inReact, inToolCalls } from "../matrix/dialects.js";
import { matrix } from "../matrix/matrix.js";
import { memorySaver, savers } from "../matrix/savers.js";
import { at } from "../threads/open-kind.js";

const calculate = " Sum\nAction: calculator\nAction Input: 2+2";
const answer = (text: string) => ` I know\nFinal Answer: ${text}`;

interface World {
  readonly checkpointer: BaseCheckpointSaver;
  readonly memory?: Memory;
  readonly replies: readonly ScriptedReply[];
  readonly maxSteps?: number;
}

function world({ replies, ...options }: World) {
  const model = scriptedModel(replies);
  const agent = createAgent({ ...options, model, tools: [calculator()], protocol: "react", rephrase: false });
  return { agent, model, seen: () => model.calls.at(-1)?.prompt ?? "" };
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
      const echo = tool(({ text }) => `echo ${inputs.push(text)}`, {
        name: "echo",
        description: "Says the text.",
        schema: z.object({ text: z.string() }),
      });
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
  test("the answer that a person put in place of another", async () => {
    const { agent, seen } = world({ checkpointer: await open(), replies: ["One.", "Two.", "Three."].map(answer) });
    const ids = await ask(agent, "First?", "Second?");
    await agent.updateState(at("t"), { messages: [change(ids[1], "Eins.")] });
    const { chatHistory } = await agent.invoke({ messages: "Third?" }, at("t"));
    expect(seen()).toContain("Q: First?\nA: Eins.\nQ: Second?\nA: Two.\n");
    expect(chatHistory.turns.map((turn) => turn.answer)).toEqual(["Eins.", "Two."]);
  });

  test("the question that a person put in place of another", async () => {
    const { agent, seen } = world({ checkpointer: await open(), replies: ["One.", "Two."].map(answer) });
    const [id = ""] = await ask(agent, "First?");
    await agent.updateState(at("t"), { messages: [new HumanMessage({ id, content: "The first?" })] });
    await ask(agent, "Second?");
    expect(seen()).toContain("Q: The first?\nA: One.\n");
  });

  test("the question that a person changed while its turn was stopped", async () => {
    const { agent, seen } = world({ checkpointer: await open(), replies: ["One.", "Two."].map(answer) });
    await agent.invoke({ messages: "First?" }, { ...at("t"), interruptBefore: ["parse"] });
    const [id = ""] = await idsOf(agent);
    await agent.updateState(at("t"), { messages: [new HumanMessage({ id, content: "The first?" })] }, "plan");
    await agent.invoke(null, at("t"));
    await ask(agent, "Second?");
    expect(seen()).toContain("Q: The first?\nA: One.\n");
  });

  test("nothing of a turn that was removed, and what is left of the others", async () => {
    const replies = [answer("One."), calculate, answer("Two."), answer("Three."), answer("Four."), answer("Five.")];
    const { agent, seen } = world({ checkpointer: await open(), replies });
    const ids = await ask(agent, "First?", "Second?", "Third?", "Fourth?");
    expect(ids).toHaveLength(10);
    const removed = [...ids.slice(2, 6), ids[7] ?? "", ids[8] ?? ""];
    await agent.updateState(at("t"), { messages: remove(removed) });
    await ask(agent, "Fifth?");
    expect(seen()).toContain("Q: First?\nA: One.\nQ: Third?\nA: Four.\n\nBegin!");
  });

  test("a question whose answer was removed, without one", async () => {
    const { agent, seen } = world({ checkpointer: await open(), replies: ["One.", "Two.", "Three."].map(answer) });
    const ids = await ask(agent, "First?", "Second?");
    await agent.updateState(at("t"), { messages: remove(ids.slice(3)) });
    await ask(agent, "Third?");
    expect(seen()).toContain("Q: First?\nA: One.\nQ: Second?\n\nBegin!");
    expect(seen()).toContain("Question: Third?\n");
  });

  test("nothing of a conversation that was removed", async () => {
    const { agent, seen } = world({ checkpointer: await open(), replies: ["One.", "Two."].map(answer) });
    await ask(agent, "First?");
    await agent.updateState(at("t"), { messages: [new RemoveMessage({ id: REMOVE_ALL_MESSAGES })] });
    const { chatHistory } = await agent.invoke({ messages: "Second?" }, at("t"));
    expect(seen()).not.toContain("First?");
    expect(chatHistory.turns).toEqual([]);
  });

  test("a question that has no answer, and the answer that a person gave it", async () => {
    const filtered = new AIMessage({ content: "", response_metadata: { finish_reason: "content_filter" } });
    const replies = [answer("One."), filtered, answer("Three."), answer("Four.")];
    const { agent, seen } = world({ checkpointer: await open(), replies });
    const ids = await ask(agent, "First?", "Second?", "Third?");
    expect(seen()).toMatch(/\nQ: Second\?\nA: I stopped without an answer/);
    await agent.updateState(at("t"), { messages: [change(ids[3], "Two.")] });
    await ask(agent, "Fourth?");
    expect(seen()).toContain("Q: First?\nA: One.\nQ: Second?\nA: Two.\nQ: Third?\nA: Three.\n");
  });

  test("an interrupted question, and the answer that a person gave it", async () => {
    const { agent, seen } = world({ checkpointer: await open(), replies: ["One?", "Two.", "Three."].map(answer) });
    await agent.invoke({ messages: "First?" }, { ...at("t"), interruptBefore: ["parse"] });
    const ids = await ask(agent, "Second?");
    expect(seen()).toContain("Q: First?\nA: I did not answer this question: the turn was interrupted.\n");
    await agent.updateState(at("t"), { messages: [change(ids[1], "One.")] });
    await ask(agent, "Third?");
    expect(seen()).toContain("Q: First?\nA: One.\nQ: Second?\nA: Two.\n");
  });

  test("a summary that was made anew if a turn in it was changed, and only then", async () => {
    const { agent, model, seen } = world({
      checkpointer: await open(),
      memory: summary({ turns: 1 }),
      replies: [
        ...[answer("One."), answer("Two."), "Of one.", answer("Three."), "Of one, two.", answer("Four.")],
        ...["Of eins, two, three.", answer("Five."), "Of all.", answer("Six.")],
      ],
    });
    const ids = await ask(agent, "First?", "Second?", "Third?", "Fourth?");
    expect(model.calls[4]?.prompt).toMatch(
      /Current summary:\nOf one\.\n\nNew lines of conversation:\nHuman: Second\?\nAI: Two\.\n\nNew summary:$/,
    );
    await agent.updateState(at("t"), { messages: [change(ids[1], "Eins.")] });
    await ask(agent, "Fifth?");
    expect(model.calls[6]?.prompt).toMatch(
      /Current summary:\n\n\nNew lines of conversation:\nHuman: First\?\nAI: Eins\.\nHuman: Second\?\nAI: Two\.\nHuman: Third\?\nAI: Three\.\n\nNew summary:$/,
    );
    expect(seen()).toContain("Summary of what came before: Of eins, two, three.\nQ: Fourth?\nA: Four.\n");
    await ask(agent, "Sixth?");
    expect(model.calls[8]?.prompt).toContain("New lines of conversation:\nHuman: Fourth?");
    model.assertComplete();
  });

  test("no summary of a removed turn", async () => {
    const { agent, model, seen } = world({
      checkpointer: await open(),
      memory: summary({ turns: 1 }),
      replies: [answer("One."), answer("Two."), "Of one.", answer("Three."), "Of two.", answer("Four.")],
    });
    const ids = await ask(agent, "First?", "Second?", "Third?");
    expect(seen()).toContain("Summary of what came before: Of one.\nQ: Second?\nA: Two.\n");
    await agent.updateState(at("t"), { messages: remove(ids.slice(0, 2)) });
    await ask(agent, "Fourth?");
    expect(model.calls[4]?.prompt).toContain("Current summary:\n\n\nNew lines of conversation:\nHuman: Second?");
    expect(seen()).toContain("Summary of what came before: Of two.\nQ: Third?\nA: Three.\n");
    expect(seen()).not.toContain("Of one.");
    model.assertComplete();
  });

  test("no turn that the memory dropped, even if it is changed", async () => {
    const replies = ["One.", "Two.", "Three."].map(answer);
    const { agent, seen } = world({ checkpointer: await open(), memory: window({ turns: 1 }), replies });
    const ids = await ask(agent, "First?", "Second?");
    await agent.updateState(at("t"), { messages: [change(ids[1], "Eins.")] });
    await ask(agent, "Third?");
    expect(seen()).toContain("\nQ: Second?\nA: Two.\n\nBegin!");
  });

  test("a summary that a person put in, before the turns of the messages", async () => {
    const { agent, seen } = world({ checkpointer: await open(), replies: ["One.", "Two.", "Three."].map(answer) });
    await ask(agent, "First?");
    await agent.updateState(at("t"), { chatHistory: { summary: "Of old.", turns: [] } });
    const ids = await ask(agent, "Second?");
    expect(seen()).toContain("Summary of what came before: Of old.\nQ: First?\nA: One.\n");
    await agent.updateState(at("t"), { messages: [change(ids[1], "Eins."), change(ids[3], "Zwei.")] });
    await ask(agent, "Third?");
    expect(seen()).toContain("Summary of what came before: Of old.\nQ: First?\nA: Eins.\nQ: Second?\nA: Zwei.\n");
  });
});
