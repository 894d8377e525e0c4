import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { digestOf, type KnownTurn, stepsText, turnsIn } from "../../../src/core/state/chat-history.js";
import { renderChatHistory } from "../../../src/prompts/chat-history-text.js";

const human = (id: string, content: string) => new HumanMessage({ id, content });
const ai = (id: string, content: string) => new AIMessage({ id, content });
const call = (id: string, args: Record<string, unknown> = {}, content = "") =>
  new AIMessage({ id, content, tool_calls: [{ id: `call-${id}`, name: "look", args }] });
const result = (id: string, content: string, name = "look") =>
  new ToolMessage({ id, name, tool_call_id: "call-c1", content });

describe("the turns in a conversation", () => {
  it("each have their question and answer, and the ids of the first and the last message", () => {
    const messages = [human("q1", "First?"), ai("a1", "One."), human("q2", "Second?"), ai("a2", "Two.")];
    expect(turnsIn(messages)).toEqual([
      { id: "q1", end: "a1", question: "First?", answer: "One.", stopReason: "answered" },
      { id: "q2", end: "a2", question: "Second?", answer: "Two.", stopReason: "answered" },
    ]);
  });

  it("take several human messages in a row for one question, and several answers for one", () => {
    const messages = [human("1", "A?"), human("2", " "), human("3", "B?"), ai("4", "C."), ai("5", "D.")];
    expect(turnsIn(messages)).toMatchObject([{ id: "3", end: "5", question: "A?\nB?", answer: "C.\nD." }]);
  });

  it("have an answer without the words of calls and results", () => {
    const messages = [human("q1", "Who?"), call("c1", {}, "I look."), result("r1", "Ann"), ai("a1", "Ann.")];
    expect(turnsIn(messages)).toMatchObject([{ id: "q1", end: "a1", answer: "Ann." }]);
  });

  it("stay as they are without an answer, with their messages", () => {
    const messages = [human("q1", "Pay."), call("c1"), result("r1", "paid"), human("q2", "Well?")];
    const known: KnownTurn[] = [{ id: "q1", stopReason: "failed", mark: "k7", writers: [{ model: "m", from: "c1" }] }];
    expect(turnsIn(messages, known)).toEqual([
      { ...known[0], end: "r1", question: "Pay.", answer: "" },
      { id: "q2", end: "q2", question: "Well?", answer: "", stopReason: "answered" },
    ]);
  });

  it("have no system messages, which belong to no turn", () => {
    const system = (id: string) => new SystemMessage({ id, content: "Be kind." });
    const messages = [system("s1"), human("q1", "A?"), system("s2"), human("q2", "B?"), ai("a1", "C."), system("s3")];
    expect(turnsIn(messages)).toMatchObject([{ id: "q2", end: "a1", question: "A?\nB?", answer: "C." }]);
    expect(turnsIn([system("s1")])).toEqual([]);
  });

  it("may begin with an answer", () => {
    expect(turnsIn([ai("a0", "Hello."), human("q1", "Hi."), ai("a1", "Yes?")])).toMatchObject([
      { id: "a0", end: "a0", question: "", answer: "Hello." },
      { id: "q1", end: "a1" },
    ]);
  });

  it("have the texts of content blocks", () => {
    const blocks = new AIMessage({
      id: "a1",
      content: [
        { type: "thinking", thinking: "Hm." },
        { type: "text", text: "One." },
      ],
    });
    expect(turnsIn([human("q1", "First?"), blocks])[0]?.answer).toBe("One.");
  });
});

describe("the steps of a turn as text", () => {
  it("are its calls and results, each on its own line", () => {
    const messages: BaseMessage[] = [
      human("q1", "Who?"),
      new AIMessage({
        content: "I look.",
        tool_calls: [
          { id: "1", name: "look", args: { at: "Oslo" } },
          { id: "2", name: "ask", args: {} },
        ],
      }),
      result("r1", " cold\n"),
      new ToolMessage({ tool_call_id: "2", content: "Ann" }),
      ai("a1", "Ann, and it is cold."),
    ];
    expect(stepsText(messages)).toBe(
      'Called look: {"at":"Oslo"}\nCalled ask: {}\nResult of look: cold\nResult of a tool: Ann',
    );
    expect(stepsText([human("q1", "Who?"), ai("a1", "Ann.")])).toBe("");
  });

  it("show the first 2000 characters of a long result", () => {
    const [line = ""] = stepsText([result("r1", "x".repeat(10_000))]).split("\n");
    expect(line).toMatch(/^Result of look: x{1900}/);
    expect(line.length).toBeLessThanOrEqual(2001);
  });
});

describe("the chat history in a prompt", () => {
  const turn = { id: "q1", end: "a1", question: "Who?", answer: "Ann.", stopReason: "answered" as const };

  it("has the summary, and the steps of a turn between its question and its answer", () => {
    const turns = [turn, { ...turn, steps: "Called look: {}\nResult of look: Ann" }];
    expect(renderChatHistory({ summary: "They met.", turns })).toBe(
      "Summary of what came before: They met.\nQ: Who?\nA: Ann.\n" +
        "Q: Who?\nCalled look: {}\nResult of look: Ann\nA: Ann.",
    );
  });

  it("says where a turn ended at a limit, and has no line for an answer that was not given", () => {
    const limit = { ...turn, stopReason: "step-limit" as const };
    const failed = { ...turn, answer: "", stopReason: "failed" as const, steps: "Result of pay: receipt 77" };
    expect(renderChatHistory({ summary: "", turns: [limit, failed] })).toBe(
      `Q: Who?\nA: Ann. (The turn ended here at a limit, before the question was settled.)\nQ: Who?\nResult of pay: receipt 77`,
    );
  });
});

describe("the digest of a conversation", () => {
  const messages = [human("q1", "First?"), ai("a1", "One.")];

  it("differs if a text, a message or its type differs", () => {
    const others = [
      [human("q1", "Who?"), ai("a1", "One.")],
      messages.slice(1),
      [human("q1", "First?"), human("a1", "One.")],
    ];
    const digests = [messages, ...others].map(digestOf);
    expect(new Set(digests).size).toBe(digests.length);
  });

  it("is the same for a text and for a block with that text", () => {
    const block = new AIMessage({ id: "a1", content: [{ type: "text", text: "One." }] });
    expect(digestOf(messages.with(1, block))).toBe(digestOf(messages));
  });
});
