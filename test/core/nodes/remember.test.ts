import { AIMessage, type BaseMessage, HumanMessage, RemoveMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, type Memory, summary, window } from "../../../src/index.js";
import { type ScriptedReply, scriptedModel } from "../../../src/testing/index.js";

const thread = { configurable: { thread_id: "t" } };

/** An agent that speaks `react`, whose prompts show the chat history. */
function agentWith(replies: readonly ScriptedReply[], memory?: Memory) {
  const model = scriptedModel(replies);
  const pay = tool(() => "receipt 77", { name: "pay", description: "Pays.", schema: z.object({}) });
  const agent = createAgent({
    model,
    tools: [pay],
    protocol: "react",
    rephrase: false,
    checkpointer: new MemorySaver(),
    ...(memory && { memory }),
  });
  const ask = async (messages: string | BaseMessage[]) => (await agent.invoke({ messages }, thread)).chatHistory;
  /** The conversation that the newest prompt shows. */
  const shown = () => /\nThe conversation so far:\n(.*)\n\nBegin!/s.exec(model.calls.at(-1)?.prompt ?? "")?.[1] ?? "";
  return { agent, model, ask, shown };
}

const answer = (text: string) => ` I know\nFinal Answer: ${text}`;
const pays = " I pay\nAction: pay\nAction Input: {}";

describe("the chat history of a turn", () => {
  it("has the earlier turns, with their data beside the messages", async () => {
    const { agent, ask, shown } = agentWith(["", answer("One."), answer("Two.")]);
    expect(await ask("First?")).toEqual({ summary: "", turns: [] });
    const { messages, turn } = (await agent.getState(thread)).values;
    const { turns } = await ask("Second?");
    expect(turns).toEqual([
      {
        id: messages[0].id,
        end: messages[1].id,
        question: "First?",
        answer: "One.",
        stopReason: "answered",
        mark: turn.mark,
        writers: [{ model: "glassloop-scripted", from: messages[1].id }],
      },
    ]);
    expect(shown()).toBe("Q: First?\nA: One.");
  });

  it("follows what people change, remove and add in the messages", async () => {
    const { agent, ask, shown } = agentWith(["One.", "Two.", "Three."].map(answer));
    await ask("First?");
    await ask("Second?");
    const { messages } = (await agent.getState(thread)).values;
    const [q1, a1, q2, a2] = messages;
    await agent.updateState(thread, {
      messages: [
        new HumanMessage({ id: q1.id, content: "Who?" }),
        new AIMessage({ id: a1.id, content: "Ann." }),
        new RemoveMessage({ id: q2.id }),
        new RemoveMessage({ id: a2.id }),
        new HumanMessage({ id: "q3", content: "Where?" }),
        new AIMessage({ id: "a3", content: "Here." }),
      ],
    });
    const { turns } = await ask("Third?");
    expect(turns.map(({ id, end }) => [id, end])).toEqual([
      [q1.id, a1.id],
      ["q3", "a3"],
    ]);
    expect(shown()).toBe("Q: Who?\nA: Ann.\nQ: Where?\nA: Here.");
  });

  it("has a failed turn as it is, with its finished calls", async () => {
    const { ask, shown } = agentWith([pays, new Error("away"), answer("Paid.")]);
    await expect(ask("Pay.")).rejects.toThrow("away");
    const { turns } = await ask("And?");
    expect(turns).toMatchObject([{ question: "Pay.", stopReason: "failed" }]);
    expect(shown()).toMatch(/^Q: Pay\.\nCalled pay: \{.*\}\nResult of pay: receipt 77\b/);
  });

  it("has the steps of answered turns only if the memory names them", async () => {
    const replies = [pays, answer("Paid."), answer("Two."), answer("Three.")];
    const bare = agentWith(replies);
    await bare.ask("Pay.");
    expect((await bare.ask("Second?")).turns[0]).not.toHaveProperty("steps");
    expect(bare.shown()).toBe("Q: Pay.\nA: Paid.");
    const withSteps = agentWith(replies, window({ steps: 1 }));
    await withSteps.ask("Pay.");
    await withSteps.ask("Second?");
    expect(withSteps.shown()).toMatch(/^Q: Pay\.\nCalled pay: .*\nResult of pay: receipt 77\nA: Paid\.$/);
    await withSteps.ask("Third?");
    expect(withSteps.shown()).toBe("Q: Pay.\nA: Paid.\nQ: Second?\nA: Two.");
  });

  it("takes the calls and results of a history that a caller keeps", async () => {
    const { ask, shown } = agentWith([answer("It is cold.")], window({ steps: 2 }));
    await ask([
      new HumanMessage("Oslo?"),
      new AIMessage({ content: "", tool_calls: [{ id: "1", name: "look", args: { at: "Oslo" } }] }),
      new ToolMessage({ tool_call_id: "1", name: "look", content: "3 degrees" }),
      new AIMessage("3 degrees."),
      new HumanMessage("Cold?"),
    ]);
    expect(shown()).toBe('Q: Oslo?\nCalled look: {"at":"Oslo"}\nResult of look: 3 degrees\nA: 3 degrees.');
  });
});

it("the turns that a memory drops are noted by the id of their last message", async () => {
  const { ask, shown, agent } = agentWith(["One.", "Two.", "Three."].map(answer), window({ turns: 1 }));
  await ask("First?");
  await ask("Second?");
  const { turns, upTo } = await ask("Third?");
  const { messages } = (await agent.getState(thread)).values;
  expect(upTo).toBe(messages[1].id);
  expect(turns).toMatchObject([{ question: "Second?" }]);
  expect(shown()).toBe("Q: Second?\nA: Two.");
});

describe("a summary", () => {
  const replies = [answer("One."), answer("Two."), "Of one.", answer("Three.")];

  async function summarized(more: readonly ScriptedReply[]) {
    const made = agentWith([...replies, ...more], summary({ turns: 1 }));
    for (const question of ["First?", "Second?"]) await made.ask(question);
    const history = await made.ask("Third?");
    const { messages } = (await made.agent.getState(thread)).values;
    expect(history).toMatchObject({
      summary: "Of one.",
      turns: [{ question: "Second?" }],
      summarized: { id: messages[1].id, digest: expect.stringMatching(/^[0-9a-f]{12}$/) },
      upTo: messages[1].id,
    });
    return { ...made, messages };
  }

  it("stays while the messages in it are as they were, and the memory gets the turns since", async () => {
    const { agent, ask, shown, messages, model } = await summarized(["Of one and two.", answer("Four.")]);
    await agent.updateState(thread, { messages: [new AIMessage({ id: messages[3].id, content: "Zwei." })] });
    expect((await ask("Fourth?")).summary).toBe("Of one and two.");
    expect(model.calls.at(-2)?.prompt).toMatch(
      /Current summary:\nOf one\.\n\nNew lines of conversation:\nHuman: Second\?\nAI: Zwei\.\n\n/,
    );
    expect(shown()).toBe("Summary of what came before: Of one and two.\nQ: Third?\nA: Three.");
  });

  it("is made again from all turns if a message in it was changed or removed", async () => {
    const { agent, ask, model, messages, shown } = await summarized(["Of all.", answer("Four.")]);
    const changed = [
      new RemoveMessage({ id: messages[0].id }),
      new AIMessage({ id: messages[1].id, content: "Eins." }),
    ];
    await agent.updateState(thread, { messages: changed });
    expect((await ask("Fourth?")).summary).toBe("Of all.");
    const { prompt = "" } = model.calls.at(-2) ?? {};
    expect(prompt.slice(prompt.indexOf("END OF EXAMPLE"))).toContain(
      "Current summary:\n\n\nNew lines of conversation:\nAI: Eins.\nHuman: Second?",
    );
    expect(shown()).toBe("Summary of what came before: Of all.\nQ: Third?\nA: Three.");
  });

  it("that a person put in stays, and covers no message", async () => {
    const { agent, ask, shown } = agentWith([answer("One."), answer("Two."), answer("Three.")]);
    await ask("First?");
    const { chatHistory } = (await agent.getState(thread)).values;
    await agent.updateState(thread, { chatHistory: { ...chatHistory, summary: "They met in Oslo." } });
    await ask("Second?");
    const history = await ask("Third?");
    expect(history.summarized).toBeUndefined();
    expect(shown()).toBe("Summary of what came before: They met in Oslo.\nQ: First?\nA: One.\nQ: Second?\nA: Two.");
  });
});
