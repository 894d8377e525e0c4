import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { createAgent, InvalidInputError } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";

const thread = { configurable: { thread_id: "1" } };
const answer = (text: string) => ` I now know the final answer\nFinal Answer: ${text}`;

function agentThatAnswers(...replies: string[]) {
  const model = scriptedModel(replies);
  return { model, agent: createAgent({ model, protocol: "react", checkpointer: new MemorySaver() }) };
}

describe("the input of a turn", () => {
  it.each([
    ["a string", "What is it?"],
    ["a role/content object", { role: "user", content: "What is it?" }],
    ["a list of role/content objects", [{ role: "user", content: "What is it?" }]],
    ["a list of tuples", [["human", "What is it?"]]],
    ["one tuple", ["human", "What is it?"]],
    ["a message object", new HumanMessage("What is it?")],
    ["a list of message objects", [new HumanMessage("What is it?")]],
    [
      "text blocks",
      [
        {
          role: "user",
          content: [
            { type: "text", text: "What" },
            { type: "text", text: "is it?" },
          ],
        },
      ],
    ],
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
    expect(state.chatHistory.turns.map((turn) => turn.answer)).toEqual(["In Germany.", "Einstein."]);
    expect(state.turn.number).toBe(1);
  });

  it.each<[string, unknown, RegExp]>([
    ["is empty", {}, /The input is empty/],
    ["is misspelt", { mesages: "What is it?" }, /no messages, only mesages/],
    ["is a number", 42, /a number, not an object with messages/],
    ["is a string", "What is it?", /a string, not an object with messages/],
    ["has no message", { messages: [] }, /has no message/],
    ["has an empty question", { messages: "" }, /question is empty/],
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
    [
      "ends with an AI message",
      {
        messages: [
          ["human", "What?"],
          ["ai", "It."],
        ],
      },
      /ends with a message of type "ai"/,
    ],
    [
      "has a system message",
      {
        messages: [
          ["system", "Be kind."],
          ["human", "What?"],
        ],
      },
      /instructions/,
    ],
    [
      "holds an image",
      { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "data:" } }] }] },
      /block of type "image_url"; only text/,
    ],
    [
      "holds a file",
      {
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: "Read it" },
              { type: "file", data: "" },
            ],
          },
        ],
      },
      /block of type "file"; only text/,
    ],
  ])("is refused when it %s, before any model call, and the thread stays as it was", async (_case, input, message) => {
    const { agent, model } = agentThatAnswers(answer("One."), "And the next question?", answer("Two."));
    await agent.invoke({ messages: "First question?" }, thread);
    const before = await agent.getState(thread);
    const refused = agent.invoke(input as { messages: string }, thread);
    await expect(refused).rejects.toThrow(InvalidInputError);
    await expect(refused).rejects.toThrow(message);
    expect(model.calls).toHaveLength(1);
    expect(await agent.getState(thread)).toEqual(before);
    const state = await agent.invoke({ messages: "And the next?" }, thread);
    expect(state.answer).toBe("Two.");
    model.assertComplete();
  });

  it("is refused on an empty thread, which stays empty", async () => {
    const { agent, model } = agentThatAnswers(answer("One."));
    await expect(agent.invoke({ messages: [] }, thread)).rejects.toThrow(InvalidInputError);
    expect((await agent.getState(thread)).values).toEqual({});
    expect((await agent.invoke({ messages: "Now?" }, thread)).answer).toBe("One.");
    model.assertComplete();
  });

  it("is refused when it only replaces an earlier message, so that no human message is new", async () => {
    const { agent, model } = agentThatAnswers(answer("One."));
    await agent.invoke({ messages: [new HumanMessage({ id: "q1", content: "First?" })] }, thread);
    const again = agent.invoke({ messages: [new HumanMessage({ id: "q1", content: "First, again?" })] }, thread);
    await expect(again).rejects.toThrow(/no new human message/);
    model.assertComplete();
  });
});
