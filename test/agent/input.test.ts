import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { calculator, createAgent, InvalidInputError, openThreads, regenerate, replay } from "../../src/index.js";
import { type ScriptedModel, scriptedModel } from "../../src/testing/index.js";

const thread = { configurable: { thread_id: "1" } };
const answer = (text: string) => ` I now know the final answer\nFinal Answer: ${text}`;

function agentThatAnswers(...replies: string[]) {
  const model = scriptedModel(replies);
  return { model, agent: createAgent({ model, protocol: "react", checkpointer: new MemorySaver() }) };
}

const systemTextsOf = ({ calls }: ScriptedModel) =>
  calls.map(({ messages }) => messages.filter((message) => message.getType() === "system").map(({ text }) => text));

describe("the input of a turn", () => {
  it.each([
    ["a string", "What is it?"],
    ["a role/content object", { role: "user", content: "What is it?" }],
    ["a list of role/content objects", [{ role: "user", content: "What is it?" }]],
    ["a list of tuples", [["human", "What is it?"]]],
    ["one tuple", ["human", "What is it?"]],
    ["a message object", new HumanMessage("What is it?")],
    ["text blocks", [{ role: "user", content: ["What", "is it?"].map((text) => ({ type: "text", text })) }]],
  ])("is taken as %s", async (_form, messages) => {
    const { agent } = agentThatAnswers(answer("It."));
    const state = await agent.invoke({ messages: messages as string }, thread);
    expect(state.question.replace("\n", " ")).toBe("What is it?");
    expect(state.answer).toBe("It.");
  });

  it("may bring earlier messages, which become the chat history of an empty thread", async () => {
    const { agent, model } = agentThatAnswers("Who was born in Ulm in 1879?", answer("Einstein."));
    const state = await agent.invoke(
      {
        messages: [
          new HumanMessage("Where is Ulm?"),
          new AIMessage("In Germany."),
          new HumanMessage("Who was born there?"),
        ],
      },
      thread,
    );
    expect(model.calls[0]?.prompt).toContain("Q: Where is Ulm?\nA: In Germany.\nFollow Up Input: Who was born there?");
    expect(model.calls[1]?.prompt).toContain("Q: Where is Ulm?\nA: In Germany.\n");
    expect(state.chatHistory.turns.map((turn) => turn.answer)).toEqual(["In Germany."]);
    expect(state.turn.number).toBe(1);
  });

  it.each<[string, unknown, RegExp]>([
    ["is empty", {}, /The input is empty/],
    ["is misspelt", { mesages: "What is it?" }, /no messages, only mesages/],
    ["is a number", 42, /a number, not an object with messages/],
    ["is a string", "What is it?", /a string, not an object with messages/],
    ["has no message", { messages: [] }, /has no message/],
    ["has a blank question", { messages: [{ role: "user", content: " \n" }] }, /question is empty/],
    ["has null for messages", { messages: null }, /message of the input is null/],
    ["has a number for a message", { messages: [42] }, /message of the input is a number/],
    ["has a message of no known form", { messages: [{ content: "What is it?" }] }, /cannot be read/],
    ["has a question without content", { messages: [{ role: "user", content: null }] }, /question is empty/],
    [
      "has a number for a question",
      { messages: [{ role: "user", content: 42 }] },
      /content of the question is a number/,
    ],
    ["ends with an AI message", { messages: [new AIMessage("It.")] }, /ends with a message of type "ai"/],
  ])("is refused when it %s, before any model call, and the thread stays as it was", async (_case, input, message) => {
    const { agent, model } = agentThatAnswers(answer("One."));
    await agent.invoke({ messages: "First question?" }, thread);
    const before = await agent.getState(thread);
    const refused = agent.invoke(input as { messages: string }, thread);
    await expect(refused).rejects.toThrow(InvalidInputError);
    await expect(refused).rejects.toThrow(message);
    expect(model.calls).toHaveLength(1);
    expect(await agent.getState(thread)).toEqual(before);
  });

  it.each([
    ["asks with the id of an older message", [{ role: "user", content: "I said that.", id: "old" }], /needs a new id/],
    ["removes what is not there", [{ type: "remove", id: "none", content: "" }, "Why?"], /removes a message/],
  ])("changes nothing of what was said, or of a call that waits, when it %s", async (_case, messages, message) => {
    const model = scriptedModel([{ tool_calls: [{ name: "calculator", args: { expression: "1" } }] }]);
    const options = { tools: [calculator()], protocol: "tool-calling", approve: "always", rephrase: false } as const;
    const agent = createAgent({ model, ...options, checkpointer: new MemorySaver() });
    const said = [
      { role: "user", content: "What is it?", id: "old" },
      new AIMessage("It."),
      new HumanMessage("Count."),
    ];
    await agent.invoke({ messages: said }, thread);
    const before = await agent.getState(thread);
    await expect(agent.invoke({ messages: messages as string[] }, thread)).rejects.toThrow(message);
    expect(await agent.getState(thread)).toEqual(before);
  });

  it.each<[string, { role: string; content: string }]>([
    ["system", { role: "system", content: " Answer in French. " }],
    ["developer", { role: "developer", content: "Answer in French." }],
  ])("may begin with a %s message, whose text is added to the instructions of that turn", async (_role, leading) => {
    const model = scriptedModel([answer("Un."), answer("Two.")]);
    const agent = createAgent({
      model,
      protocol: "react",
      rephrase: false,
      instructions: "Be kind.",
      checkpointer: new MemorySaver(),
    });
    const first = await agent.invoke({ messages: [leading, { role: "user", content: "One?" }] }, thread);
    const second = await agent.invoke({ messages: "Two?" }, thread);
    expect(model.calls.map(({ messages }) => messages[0]?.text)).toEqual(["Be kind.\n\nAnswer in French.", "Be kind."]);
    expect(first.question).toBe("One?");
    expect(first.messages.map((message) => message.getType())).toEqual(["system", "human", "ai"]);
    expect(second.chatHistory.turns).toMatchObject([{ question: "One?", answer: "Un." }]);
  });

  it("keeps its system messages for all later turns with native calls, in the one system message of the prompt", async () => {
    const model = scriptedModel(["One.", "Deux.", "Trois."]);
    const options = { rephrase: false, instructions: "Be kind.", checkpointer: new MemorySaver() };
    const agent = createAgent({ model, protocol: "tool-calling", ...options });
    await agent.invoke({ messages: "One?" }, thread);
    const french = { role: "system", content: "Answer in French." };
    await agent.invoke({ messages: [french, { role: "user", content: "Two?" }] }, thread);
    await agent.invoke({ messages: "Three?" }, thread);
    const all = "Be kind.\n\nAnswer in French.";
    expect(systemTextsOf(model)).toEqual([["Be kind."], [all], [all]]);
    expect(model.calls.map(({ messages }) => messages[0]?.getType())).toEqual(["system", "system", "system"]);
  });

  it("in a text protocol shows its system messages for the whole turn, also after regenerate", async () => {
    await using threads = await openThreads("memory:");
    const model = scriptedModel([answer("One."), answer("Two."), answer("Deux.")]);
    const { checkpointer } = threads;
    const agent = createAgent({ model, protocol: "react", rephrase: false, checkpointer });
    await agent.invoke({ messages: "One?" }, thread);
    const french = { role: "system", content: "Answer in French." };
    await agent.invoke({ messages: [french, { role: "user", content: "Two?" }] }, thread);
    await regenerate(agent, "1");
    expect(systemTextsOf(model)).toEqual([[], ["Answer in French."], ["Answer in French."]]);
  });

  it("is refused on an empty thread, which stays empty", async () => {
    const { agent, model } = agentThatAnswers(answer("One."));
    await expect(agent.invoke({ messages: [] }, thread)).rejects.toThrow(InvalidInputError);
    expect((await agent.getState(thread)).values).toEqual({});
    expect((await agent.invoke({ messages: "Now?" }, thread)).answer).toBe("One.");
    model.assertComplete();
  });

  it("is refused on a thread with a stopped turn, which can still be resumed", async () => {
    const model = scriptedModel([new Error("away"), answer("One.")]);
    const agent = createAgent({ model, protocol: "react", checkpointer: new MemorySaver() });
    await expect(agent.invoke({ messages: "First question?" }, thread)).rejects.toThrow("away");
    await expect(agent.invoke({ messages: [["ai", "It."]] }, thread)).rejects.toThrow(InvalidInputError);
    expect((await agent.invoke(null, thread)).answer).toBe("One.");
    model.assertComplete();
  });

  it("is refused when it is the last question, sent once more", async () => {
    const { agent, model } = agentThatAnswers(answer("One."));
    const question = new HumanMessage({ id: "q1", content: "First?" });
    await agent.invoke({ messages: [question] }, thread);
    await expect(agent.invoke({ messages: [question] }, thread)).rejects.toThrow(/no new human message/);
    model.assertComplete();
  });

  it("is answered when it changes the last question", async () => {
    const { agent } = agentThatAnswers(answer("One."), answer("Two."));
    await agent.invoke({ messages: [new HumanMessage({ id: "q1", content: "First?" })] }, thread);
    const { messages } = await agent.invoke({ messages: [new HumanMessage({ id: "q1", content: "Second?" })] }, thread);
    expect(messages.map(({ text }) => text)).toEqual(["Second?", "Two."]);
  });
});

describe.each<[unknown]>([[null], [undefined]])("an input of %s", (given) => {
  const input = given as null;
  const nothing = (why: string) => `The input is ${input}, which resumes a stopped turn, but ${why}.`;

  it("is refused on a thread where nothing was asked yet, which stays empty", async () => {
    await using threads = await openThreads("memory:");
    for (const checkpointer of [threads.checkpointer, new MemorySaver()]) {
      const agent = createAgent({ model: scriptedModel([]), checkpointer });
      const refused = agent.invoke(input, thread);
      await expect(refused).rejects.toThrow(InvalidInputError);
      await expect(refused).rejects.toThrow(nothing('nothing was asked on the thread "1" yet'));
      const streamed = agent.stream(input, thread).then((stream) => stream.getReader().read());
      await expect(streamed).rejects.toThrow(InvalidInputError);
      expect(await agent.getState(thread)).toMatchObject({ values: {}, next: [] });
    }
  });

  it("is refused without a thread id, and without a checkpointer", async () => {
    const { agent } = agentThatAnswers();
    await expect(agent.invoke(input)).rejects.toThrow(
      nothing("no thread was named with { configurable: { thread_id: … } }"),
    );
    const forgetful = createAgent({ model: scriptedModel([]) });
    await expect(forgetful.invoke(input, thread)).rejects.toThrow(
      nothing("this agent has no checkpointer, and so no thread"),
    );
  });

  it("returns the state of a thread whose last turn has ended, and runs again from an older checkpoint", async () => {
    const { agent, model } = agentThatAnswers(answer("One."), answer("Another."));
    await agent.invoke({ messages: "First question?" }, thread);
    expect((await agent.invoke(input, thread)).answer).toBe("One.");
    expect(model.calls).toHaveLength(1);
    const end = await agent.getState(thread);
    let planned = end;
    for await (const checkpoint of agent.getStateHistory(thread)) {
      if (checkpoint.next.includes("plan")) planned = checkpoint;
    }
    expect((await agent.invoke(input, planned.config)).answer).toBe("Another.");
    expect((await replay(agent, "1", end.config.configurable?.checkpoint_id)).answer).toBe("One.");
  });
});
