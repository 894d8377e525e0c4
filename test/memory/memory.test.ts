import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { type ChatHistory, type ChatTurn, emptyChatHistory } from "../../src/core/state/chat-history.js";
import {
  buffer,
  createAgent,
  InvalidOptionError,
  type Memory,
  type MemoryContext,
  summary,
  tokenBudget,
  window,
} from "../../src/index.js";
import { type ScriptedReply, scriptedModel } from "../../src/testing/index.js";

const turn = (name: string): ChatTurn => ({
  id: `question-${name}`,
  end: `answer-${name}`,
  question: `question ${name}`,
  answer: `answer ${name}`,
  stopReason: "answered",
});

/** The context of an agent in whose turns a call was made if `steps` says so. */
function contextWith(agentModel: BaseChatModel, config: RunnableConfig = {}, steps = ""): MemoryContext {
  const ask: MemoryContext["ask"] = async (messages, model = agentModel) => (await model.invoke(messages, config)).text;
  return { model: async () => agentModel, ask, stepsOf: () => steps, fence: true, config };
}

const nameOf = ({ question }: ChatTurn) => question.slice("question ".length);

/**
 * Asks a memory at the beginning of each turn after the first, as an agent does: for all turns since its last summary. Each turn
 * that the memory is given again is the one in the conversation, not what the memory returned.
 */
async function rememberAll(
  memory: Memory,
  names: string[],
  { replies = [], steps }: { readonly replies?: readonly ScriptedReply[]; readonly steps?: string } = {},
) {
  const model = scriptedModel(replies);
  const context = contextWith(model, {}, steps);
  const shown: string[][] = [];
  let history: ChatHistory = emptyChatHistory;
  let summarized = 0;
  for (const [n] of names.entries()) {
    const turns = names.slice(summarized, n + 1).map(turn);
    const kept = await memory.remember({ ...history, turns }, context);
    const left = turns[turns.length - kept.turns.length - 1]?.end ?? history.upTo;
    if (kept.summary !== history.summary) summarized = n + 1 - kept.turns.length;
    history = { ...kept, ...(left && { upTo: left }) };
    shown.push(history.turns.map(nameOf));
  }
  return { model, summary: history.summary, steps: history.steps, kept: shown.at(-1), shown };
}

it.each<[string, (options: { steps?: number }) => Memory]>([
  ["buffer", buffer],
  ["window", window],
  ["tokenBudget", (options) => tokenBudget({ tokens: 100, ...options })],
  ["summary", summary],
])("%s shows as many of the newest turns with their steps as its option says", async (_name, create) => {
  expect((await rememberAll(create({ steps: 3 }), ["a"])).steps).toBe(3);
  expect((await rememberAll(create({ steps: 0 }), ["a"])).steps).toBe(0);
  expect((await rememberAll(create({}), ["a"])).steps).toBeUndefined();
  for (const steps of [-1, 0.5]) expect(() => create({ steps })).toThrow(/steps.*a whole number from 0/);
});

it.each<[string, Memory, string]>([
  ["the buffer memory keeps every turn", buffer(), "abcdefg"],
  ["the window memory keeps the newest turns", window({ turns: 2 }), "fg"],
  ["the window memory keeps five turns unless told otherwise", window(), "cdefg"],
])("%s", async (_name, memory, kept) => {
  expect((await rememberAll(memory, [..."abcdefg"])).kept).toEqual([...kept]);
});

it("a memory of no turn or of no tokens is refused", () => {
  expect(() => window({ turns: 0 })).toThrow(InvalidOptionError);
  expect(() => tokenBudget({ tokens: 0 })).toThrow(InvalidOptionError);
});

describe("the token budget memory", () => {
  const count = (text: string) => text.length;
  const oneTurn = "Q: question a\nA: answer a".length;

  it("drops the oldest turns, each as a whole, until a quarter is free, and no further one until it is full again", async () => {
    const names = [..."abcdefghijk"];
    const { shown } = await rememberAll(tokenBudget({ tokens: 8 * oneTurn, count }), names);
    expect(shown.slice(7).map((turns) => turns.join(""))).toEqual(["abcdefgh", "defghi", "defghij", "defghijk"]);
    const { kept } = await rememberAll(tokenBudget({ tokens: 4 * oneTurn - 1, count }), ["a", "b", "c", "d"]);
    expect(kept).toEqual(["c", "d"]);
  });

  it("keeps the newest turn if it alone fits, and otherwise none", async () => {
    expect((await rememberAll(tokenBudget({ tokens: oneTurn, count }), ["a", "b"])).kept).toEqual(["b"]);
    expect((await rememberAll(tokenBudget({ tokens: oneTurn - 1, count }), ["a", "b"])).kept).toEqual([]);
  });

  it("counts the steps of turns that are shown with them", async () => {
    const steps = "Called look: {}";
    const tokens = 2 * oneTurn + steps.length + 1;
    const shownWith = (options: { steps?: number }) =>
      rememberAll(tokenBudget({ tokens, count, ...options }), ["a", "b"], { steps });
    expect((await shownWith({})).kept).toEqual(["b"]);
    expect((await shownWith({ steps: 1 })).kept).toEqual(["a", "b"]);
    expect((await shownWith({ steps: 0 })).kept).toEqual(["a", "b"]);
  });

  it("counts four characters a token unless given a counter", async () => {
    expect((await rememberAll(tokenBudget({ tokens: 7 }), ["a", "b"])).kept).toEqual(["b"]);
  });
});

describe("the summary memory", () => {
  it("summarizes older turns, with their calls and results, one after the other", async () => {
    const steps = 'Called look: {"at":"Oslo"}\nResult of look: cold';
    const asked = { replies: ["Of a.", "Of a and b."], steps };
    const { model, kept, summary: folded } = await rememberAll(summary({ turns: 1 }), ["a", "b", "c"], asked);
    expect([kept, folded]).toEqual([["c"], "Of a and b."]);
    const lines = `\nHuman: question b\n${steps}\nAI: answer b\n`;
    expect(model.calls[1]?.prompt).toContain(
      `Current summary:\nOf a.\n\nNew lines of conversation:${lines}\nNew summary:`,
    );
    model.assertComplete();
  });

  it("uses a model of its own when given one", async () => {
    const own = scriptedModel(["Of a."]);
    const { kept } = await rememberAll(summary({ model: own, turns: 1 }), ["a", "b"]);
    expect(kept).toEqual(["b"]);
    own.assertComplete();
  });

  it("loses no turn when the model fails or returns an empty text, and summarizes it later", async () => {
    const { shown, summary: folded } = await rememberAll(summary({ turns: 1 }), ["a", "b", "c"], {
      replies: [new Error("down"), "Of a and b."],
    });
    expect(shown).toEqual([["a"], ["a", "b"], ["c"]]);
    expect(folded).toBe("Of a and b.");
    expect((await rememberAll(summary({ turns: 1 }), ["a", "b"], { replies: [" "] })).kept).toEqual(["a", "b"]);
  });

  it("stops when the run is stopped", async () => {
    const model = scriptedModel(["never said"]);
    const context = contextWith(model, { signal: AbortSignal.abort(new Error("enough")) });
    const remembered = summary({ turns: 1 }).remember({ summary: "", turns: [turn("a"), turn("b")] }, context);
    await expect(remembered).rejects.toThrow();
  });
});

describe("a memory of the caller's own", () => {
  const thread = { configurable: { thread_id: "t" } };

  it("is refused with the expected type if it returns a wrong value", async () => {
    const careless: Memory = { name: "careless", remember: () => JSON.parse('{ "summary": "", "turns": "none" }') };
    const asked = createAgent({ model: scriptedModel(["Final Answer: 4"]), memory: careless }).invoke({
      messages: "What is 2 + 2?",
    });
    await expect(asked).rejects.toThrow(/^memory: its remember returned a wrong value\. .*at turns/);
  });

  it("is called at the beginning of each turn with all turns and their steps, and prompts show the turns that it returns", async () => {
    const given: { questions: string[]; steps: string[]; upTo: string | undefined }[] = [];
    const newest: Memory = {
      name: "newest",
      remember({ turns, ...history }, { stepsOf }) {
        given.push({ questions: turns.map(({ question }) => question), steps: turns.map(stepsOf), upTo: history.upTo });
        return { ...history, turns: turns.slice(-1) };
      },
    };
    const model = scriptedModel(["One.", "Two.", "Three."]);
    const options = { model, memory: newest, checkpointer: new MemorySaver(), rephrase: false } as const;
    const agent = createAgent({ ...options, protocol: "tool-calling" });
    const called: BaseMessage[] = [
      new HumanMessage({ id: "q0", content: "Zero?" }),
      new AIMessage({ id: "c0", content: "", tool_calls: [{ id: "1", name: "look", args: { at: "Oslo" } }] }),
      new ToolMessage({ id: "r0", name: "look", tool_call_id: "1", content: "cold" }),
      new AIMessage({ id: "a0", content: "Nought." }),
    ];
    await agent.invoke({ messages: [...called, new HumanMessage("One?")] }, thread);
    await agent.invoke({ messages: "Two?" }, thread);
    expect(given).toEqual([
      { questions: ["Zero?"], steps: ['Called look: {"at":"Oslo"}\nResult of look: cold'], upTo: undefined },
      { questions: ["Zero?", "One?"], steps: [expect.stringContaining("Oslo"), ""], upTo: undefined },
    ]);
    await agent.invoke({ messages: "Three?" }, thread);
    expect(given[2]).toMatchObject({ questions: ["Zero?", "One?", "Two?"], upTo: "a0" });
    expect(model.calls[2]?.messages.map(({ text }) => text)).toEqual(["Two?", "Two.", "Three?"]);
  });
});
