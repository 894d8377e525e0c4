import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { chatHistoryOf } from "../../../src/core/state/chat-history.js";
import { followMessages, isSummaryTrue, summarizedUpTo } from "../../../src/core/state/follow-messages.js";

const human = (id: string, content: string) => new HumanMessage({ id, content });
const ai = (id: string, content: string) => new AIMessage({ id, content });
const conversation: BaseMessage[] = [human("q1", "First?"), ai("a1", "One."), human("q2", "Second?"), ai("a2", "Two.")];
const history = chatHistoryOf(conversation);

describe("the chat history", () => {
  it("is the same where nothing was changed", () => {
    expect(followMessages(history, conversation)).toBe(history);
    const blocks = new AIMessage({ id: "a1", content: [{ type: "text", text: "One." }] });
    expect(followMessages(history, conversation.with(1, blocks))).toBe(history);
  });

  it("keeps the standalone question of a turn whose answer was changed, but not of another question", () => {
    const turns = history.turns.map((turn) => ({ ...turn, standalone: "The first, please?" }));
    const answered = followMessages({ summary: "", turns }, conversation.with(1, ai("a1", "Eins.")));
    expect(answered.turns[0]).toMatchObject({ standalone: "The first, please?", answer: "Eins." });
    const asked = followMessages({ summary: "", turns }, conversation.with(0, human("q1", "Who?")));
    expect(asked.turns[0]).toMatchObject({ question: "Who?", standalone: "Who?", answer: "One." });
    expect(followMessages(asked, conversation.with(0, human("q1", "Who?")))).toBe(asked);
  });

  it("keeps what a memory made of an answer where only the question was changed", () => {
    const turns = history.turns.map((turn) => ({ ...turn, answer: "1" }));
    const { turns: followed } = followMessages({ summary: "", turns }, conversation.with(0, human("q1", "Who?")));
    expect(followed[0]).toMatchObject({ question: "Who?", answer: "1" });
  });

  it("drops a turn whose answer became something else", () => {
    const call = new AIMessage({ id: "a1", content: "", tool_calls: [{ name: "look", args: {}, id: "c" }] });
    for (const other of [call, human("a1", "One."), ai("a1", " ")])
      expect(followMessages(history, conversation.with(1, other)).turns.map(({ answer }) => answer)).toEqual(["Two."]);
  });

  it("puts a turn that was answered later in its place", () => {
    const [first, second] = history.turns;
    if (!first || !second) throw new Error("There are two turns.");
    const unanswered = [{ ...first, answer: "I stopped.", stopReason: "filtered" as const }];
    const left = { summary: "", turns: [second], unanswered };
    expect(followMessages(left, conversation)).toBe(left);
    const changed = followMessages(left, conversation.with(1, ai("a1", "Eins.")));
    expect(changed).toMatchObject({ turns: [{ answer: "Eins.", stopReason: "answered" }, second], unanswered: [] });
    const asked = followMessages(left, conversation.with(0, human("q1", "Who?")));
    expect(asked).toMatchObject({ turns: [second], unanswered: [{ question: "Who?", stopReason: "filtered" }] });
  });

  it("reads questions and answers of several messages, and notes them", () => {
    const messages = [human("1", "A?"), human("2", " "), human("3", "B?"), ai("4", "C."), ai("5", "D.")];
    const { turns } = chatHistoryOf(messages);
    expect(turns).toMatchObject([{ question: "A?\nB?", answer: "C.\nD." }]);
    expect(turns[0]?.messages.map(({ id }) => id)).toEqual(["1", "3", "4", "5"]);
    const fewer = followMessages({ summary: "", turns }, messages.toSpliced(4, 1));
    expect(fewer.turns).toMatchObject([{ question: "A?\nB?", answer: "C." }]);
  });
});

describe("a summary", () => {
  const summarized = summarizedUpTo("a1", conversation);
  const of = (messages: BaseMessage[]) => isSummaryTrue({ summary: "Of one.", turns: [], summarized }, messages);

  it("is true while the messages in it are as they were", () => {
    expect(of(conversation)).toBe(true);
    expect(of(conversation.with(3, ai("a2", "Zwei.")))).toBe(true);
    expect(of(conversation.with(1, ai("a1", "Eins.")))).toBe(false);
    expect(of(conversation.slice(1))).toBe(false);
    expect(of(conversation.slice(2))).toBe(false);
  });

  it("that a person or a memory made of no messages is taken for true", () => {
    expect(isSummaryTrue({ summary: "Of old.", turns: [] }, [])).toBe(true);
  });
});
