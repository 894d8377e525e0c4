import { AIMessage, type BaseMessage, HumanMessage, RemoveMessage, ToolMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { createAgent, edit, type Middleware, regenerate } from "../../../src/index.js";
import { called, reasoning, spoken } from "../../helpers/providers/responses.js";
import { RecordingModel } from "../../helpers/recording-model.js";
import { look, openTalk } from "./talk.js";
import { call, chat, recorded, said } from "./ways.js";

describe("what a person changed in messages", () => {
  const replies = () => chat({ content: "I look.", calls: [call("a")] }, said("It is 5."), said("Cinq."));

  it.each<[string, (messages: BaseMessage[]) => BaseMessage[], string[]]>([
    [
      "the result of a tool",
      ([, , result]) => [new ToolMessage({ id: result?.id, content: "6", tool_call_id: "a", name: "look" })],
      ["One?", "I look.", "6", "It is 5.", "Two?"],
    ],
    [
      "an answer",
      ([, , , answer]) => [new AIMessage({ id: answer?.id, content: "It is 6." })],
      ["One?", "I look.", "5", "It is 6.", "Two?"],
    ],
    [
      "a question",
      ([question]) => [new HumanMessage({ id: question?.id, content: "Uno?" })],
      ["Uno?", "I look.", "5", "It is 5.", "Two?"],
    ],
    [
      "a result that was removed",
      ([, , result]) => removed(result),
      ["One?", "I look.", expect.stringContaining("was lost"), "It is 5.", "Two?"],
    ],
    ["a question that was removed", ([question]) => removed(question), ["I look.", "5", "It is 5.", "Two?"]],
    ["a step that was removed", ([, asks, result]) => removed(asks, result), ["One?", "It is 5.", "Two?"]],
    ["a turn that was removed", (messages) => removed(...messages), ["Two?"]],
    [
      "a question and an answer that were added",
      () => [new HumanMessage("Three?"), new AIMessage("It is 7.")],
      ["One?", "I look.", "5", "It is 5.", "Three?", "It is 7.", "Two?"],
    ],
    [
      "words of a reply with a call",
      ([, asks]) => [
        new AIMessage({ id: asks?.id, content: "I see.", tool_calls: [{ id: "a", name: "look", args: {} }] }),
      ],
      ["One?", "I see.", "5", "It is 5.", "Two?"],
    ],
  ])("is sent in its changed form: %s", async (_what, change, expected) => {
    await using talk = await openTalk({ line: replies() });
    await talk.ask("One?");
    await talk.change(change(await talk.messages()));
    const [sent] = await talk.ask("Two?");
    expect(sent?.map(({ content }) => content)).toEqual(expected);
  });

  const removed = (...messages: (BaseMessage | undefined)[]) =>
    messages.map((message) => new RemoveMessage({ id: message?.id ?? "none" }));
});

describe("a turn that was run again", () => {
  const replies = () => chat({ calls: [call("a")] }, said("5."), { calls: [call("a")] }, said("6."), said("Six."));

  it("is sent with its newest answer", async () => {
    await using talk = await openTalk({ line: replies() });
    await talk.ask("One?");
    await regenerate(talk.agent, "t");
    const [sent] = await talk.ask("Two?");
    expect(sent?.map(({ role, content }) => [role, content])).toEqual([
      ["user", "One?"],
      ["assistant", ""],
      ["tool", "5"],
      ["assistant", "6."],
      ["user", "Two?"],
    ]);
  });

  it("is sent with the question in place of the old one", async () => {
    await using talk = await openTalk({ line: replies() });
    await talk.ask("One?");
    await edit(talk.agent, "t", "Uno?");
    const [sent] = await talk.ask("Two?");
    expect(sent?.[0]).toMatchObject({ role: "user", content: "Uno?" });
    expect(JSON.stringify(sent)).not.toContain("One?");
  });
});

/** A reply with a signed thought, words and a call. */
const signed = {
  content: [
    { type: "thinking", thinking: "I should look", signature: "SIG1" },
    { type: "text", text: "I look. My pin is 1234." },
    { type: "tool_use", id: "a", name: "look", input: { q: "x" } },
  ],
  tool_calls: [{ id: "a", name: "look", args: { q: "x" } }],
};

it("another model gets the words and calls of the first one, of earlier turns and in mid-turn, without its blocks", async () => {
  const first = new RecordingModel([signed, said("5."), signed, new Error("broken")], "first");
  const second = new RecordingModel([said("Cinq.")], "second");
  const options = { tools: [look()], modelCalls: { maxRetries: 0 }, checkpointer: new MemorySaver() };
  const agent = createAgent({ model: [first, second], ...options });
  for (const messages of ["One?", "Two?"]) await agent.invoke({ messages }, { configurable: { thread_id: "t" } });
  const sent = second.sent[0] ?? [];
  const step = ["I look. My pin is 1234.", "5"];
  expect(sent.slice(1).map(({ content }) => content)).toEqual(["One?", ...step, "5.", "Two?", ...step]);
  for (const text of ["SIG1", "thinking", "tool_use"]) expect(JSON.stringify(sent)).not.toContain(text);
});

describe("a reply that was changed", () => {
  const hides: Middleware = {
    name: "hides",
    wrapModelCall: async (request, handler) => {
      const { id, text, tool_calls } = await handler(request);
      return new AIMessage({ id, content: text.replace("1234", "hidden"), tool_calls });
    },
  };

  it("by a hook is sent as it was changed, without signed blocks", async () => {
    await using talk = await openTalk({
      line: recorded(signed, said("5.")),
      options: { middleware: [hides] },
    });
    const [, sent] = await talk.ask("One?");
    expect(JSON.stringify(sent)).toContain("My pin is hidden.");
    expect(JSON.stringify(sent)).not.toMatch(/1234|SIG1/);
    expect(JSON.stringify(await talk.messages())).not.toContain("1234");
  });

  it("by a hook does not return in its old form through the Responses API", async () => {
    const output = [reasoning("1", "Hm."), spoken("1", "My pin is 1234."), called("1", "look", "{}")];
    const replies = [output, [spoken("2", "5.")]].map((output, n) => ({ id: `resp_${n}`, output }));
    await using talk = await openTalk({
      line: { way: "responses", replies },
      options: { middleware: [hides] },
    });
    const [, sent] = await talk.ask("One?");
    expect(JSON.stringify(sent)).toContain("My pin is hidden.");
    expect(JSON.stringify(sent)).not.toContain("1234");
  });
});
