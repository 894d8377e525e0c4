import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { StateSnapshot } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent/create-agent.js";
import type { Agent } from "../../src/graph/agent.js";
import { type ScriptedReply, scriptedModel } from "../../src/testing/index.js";
import { calculator } from "../../src/tools/calculator/calculator.js";
import { matrix } from "../matrix/matrix.js";
import { memorySaver, savers } from "../matrix/savers.js";
import { at } from "../threads/open-kind.js";

const calculate = " Sum\nAction: calculator\nAction Input: 2+2";
const answer = (text: string) => ` I know\nFinal Answer: ${text}`;

function agentOn(checkpointer: BaseCheckpointSaver, ...replies: ScriptedReply[]) {
  const model = scriptedModel(replies);
  return {
    model,
    agent: createAgent({ model, tools: [calculator()], protocol: "react", rephrase: false, checkpointer }),
  };
}

function textsOf({ messages }: { messages: BaseMessage[] }): string[] {
  return messages.map(({ text }) => text);
}

/** Reads the states of a thread, the oldest first. */
async function statesOf(agent: Agent): Promise<StateSnapshot[]> {
  const states: StateSnapshot[] = [];
  for await (const state of agent.getStateHistory(at("t"))) states.unshift(state);
  return states;
}

/** Finds the parent of the first state with a message, as LangGraph's clients do. */
async function parentOfFirst(agent: Agent, text: string): Promise<RunnableConfig> {
  const first = (await statesOf(agent)).find(({ values }) => textsOf({ messages: [], ...values }).includes(text));
  if (first?.parentConfig === undefined) throw new Error(`No state before "${text}".`);
  return first.parentConfig;
}

/** Finds the newest checkpoint before a node. */
async function before(agent: Agent, node: string): Promise<RunnableConfig> {
  const state = (await statesOf(agent)).findLast(({ next }) => next.includes(node));
  if (state === undefined) throw new Error(`No state before ${node}.`);
  return state.config;
}

describe.each(matrix(savers, memorySaver))("an edited question in a thread kept by $kept", ({ open }) => {
  test.each([
    { edited: "Say hello", left: [] },
    { edited: "2 + 2?", left: ["Say hello", "Hello!"] },
  ])("replaces the question: $edited", async ({ edited, left }) => {
    const { agent, model } = agentOn(await open(), answer("Hello!"), calculate, answer("Four."), answer("Six."));
    await agent.invoke({ messages: "Say hello" }, at("t"));
    await agent.invoke({ messages: "2 + 2?" }, at("t"));
    const state = await agent.invoke({ messages: "3 + 3?" }, await parentOfFirst(agent, edited));
    expect(textsOf(state)).toEqual([...left, "3 + 3?", "Six."]);
    expect(state).toMatchObject({ turn: { number: left.length / 2 + 1, asked: "3 + 3?" }, stopReason: "answered" });
    expect(textsOf((await agent.getState(at("t"))).values)).toEqual([...left, "3 + 3?", "Six."]);
    model.assertComplete();
  });

  test.each(["rephrase-question", "act"])(
    "from a checkpoint in the middle of a turn, before %s, replaces the question of that turn",
    async (node) => {
      const { agent } = agentOn(await open(), answer("Hello!"), calculate, answer("Four."), answer("Six."));
      await agent.invoke({ messages: "Say hello" }, at("t"));
      await agent.invoke({ messages: "2 + 2?" }, at("t"));
      const state = await agent.invoke({ messages: "3 + 3?" }, await before(agent, node));
      expect(textsOf(state)).toEqual(["Say hello", "Hello!", "3 + 3?", "Six."]);
    },
  );

  test("replaces the question of a failed turn", async () => {
    const { agent } = agentOn(await open(), new Error("away"), answer("Six."));
    await expect(agent.invoke({ messages: "2 + 2?" }, at("t"))).rejects.toThrow("away");
    const state = await agent.invoke({ messages: "3 + 3?" }, await parentOfFirst(agent, "2 + 2?"));
    expect(textsOf(state)).toEqual(["3 + 3?", "Six."]);
  });

  test("is a new turn from the last checkpoint, even if this checkpoint is named", async () => {
    const { agent } = agentOn(await open(), calculate, answer("Six."));
    await agent.invoke({ messages: "2 + 2?" }, { ...at("t"), interruptBefore: ["parse"] });
    const state = await agent.invoke({ messages: "3 + 3?" }, (await agent.getState(at("t"))).config);
    expect(textsOf(state)).toEqual(["2 + 2?", expect.stringContaining("I did not answer"), "3 + 3?", "Six."]);
  });
});

describe.each(matrix(savers, memorySaver))("an answer in a thread kept by $kept", ({ open }) => {
  test("is generated again from the state before it", async () => {
    const { agent, model } = agentOn(await open(), calculate, answer("Four."), answer("It is four."));
    await agent.invoke({ messages: "2 + 2?" }, at("t"));
    const state = await agent.invoke(null, await parentOfFirst(agent, "Four."));
    expect(textsOf(state)).toEqual(["2 + 2?", "Sum", "4", "It is four."]);
    expect(state.usage.turn.modelCalls).toBe(2);
    model.assertComplete();
  });

  test("is not generated again when a run resumes that was stopped before it", async () => {
    const { agent, model } = agentOn(await open(), answer("Four."));
    await agent.invoke({ messages: "2 + 2?" }, { ...at("t"), interruptBefore: ["parse"] });
    expect((await agent.invoke(null, at("t"))).answer).toBe("Four.");
    model.assertComplete();
  });

  test("is not generated again if a person changed the reply", async () => {
    const { agent, model } = agentOn(await open(), answer("Four."));
    await agent.invoke({ messages: "2 + 2?" }, at("t"));
    const { values, config } = await agent.getState(await before(agent, "parse"));
    const reply = { ...values.reply, text: answer("Vier.") };
    const changed = await agent.updateState(config, { reply }, "plan");
    expect((await agent.invoke(null, changed)).answer).toBe("Vier.");
    model.assertComplete();
  });
});
