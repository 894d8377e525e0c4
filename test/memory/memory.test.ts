import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { RunnableConfig } from "@langchain/core/runnables";
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
  question: `question ${name}`,
  standalone: `question ${name}`,
  answer: `answer ${name}`,
  stopReason: "answered",
  messages: [],
});

function contextWith(agentModel: BaseChatModel, config: RunnableConfig = {}): MemoryContext {
  const ask: MemoryContext["ask"] = async (messages, model = agentModel) => (await model.invoke(messages, config)).text;
  return { model: async () => agentModel, ask, fence: true, config };
}

async function rememberAll(memory: Memory, names: string[], replies: readonly ScriptedReply[] = []) {
  const model = scriptedModel(replies);
  let history: ChatHistory = emptyChatHistory;
  for (const name of names) history = await memory.remember(history, turn(name), contextWith(model));
  return {
    model,
    summary: history.summary,
    kept: history.turns.map((kept) => kept.question.slice("question ".length)),
  };
}

describe("the buffer memory", () => {
  it("keeps every turn", async () => {
    expect((await rememberAll(buffer(), ["a", "b", "c"])).kept).toEqual(["a", "b", "c"]);
  });
});

describe("the window memory", () => {
  it("keeps the newest turns", async () => {
    expect((await rememberAll(window({ turns: 2 }), ["a", "b", "c"])).kept).toEqual(["b", "c"]);
  });

  it("keeps five turns unless told otherwise", async () => {
    expect((await rememberAll(window(), ["a", "b", "c", "d", "e", "f"])).kept).toEqual(["b", "c", "d", "e", "f"]);
  });

  it("refuses to keep none", () => {
    expect(() => window({ turns: 0 })).toThrow(InvalidOptionError);
  });
});

describe("the token budget memory", () => {
  it("keeps the newest turns that fit, each whole or not at all", async () => {
    const count = (text: string) => text.length;
    const oneTurn = "Q: question a\nA: answer a".length;
    expect((await rememberAll(tokenBudget({ tokens: 2 * oneTurn, count }), ["a", "b", "c"])).kept).toEqual(["b", "c"]);
    expect((await rememberAll(tokenBudget({ tokens: 2 * oneTurn - 1, count }), ["a", "b", "c"])).kept).toEqual(["c"]);
    expect((await rememberAll(tokenBudget({ tokens: 1, count }), ["a", "b", "c"])).kept).toEqual([]);
  });

  it("counts four characters a token unless given a counter", async () => {
    expect((await rememberAll(tokenBudget({ tokens: 7 }), ["a", "b"])).kept).toEqual(["b"]);
  });

  it("refuses a budget of nothing", () => {
    expect(() => tokenBudget({ tokens: 0 })).toThrow(InvalidOptionError);
  });
});

describe("the summary memory", () => {
  it("folds older turns into a running summary, one after the other", async () => {
    const {
      model,
      kept,
      summary: folded,
    } = await rememberAll(summary({ turns: 1 }), ["a", "b", "c"], ["Of a.", "Of a and b."]);
    expect(kept).toEqual(["c"]);
    expect(folded).toBe("Of a and b.");
    expect(model.calls[1]?.prompt).toMatch(
      /Current summary:\nOf a\.\n\nNew lines of conversation:\nHuman: question b\nAI: answer b\n\nNew summary:$/,
    );
    model.assertComplete();
  });

  it("uses a model of its own when given one", async () => {
    const own = scriptedModel(["Of a."]);
    const { kept } = await rememberAll(summary({ model: own, turns: 1 }), ["a", "b"]);
    expect(kept).toEqual(["b"]);
    own.assertComplete();
  });

  it("loses nothing when the model fails or says nothing, and folds it later", async () => {
    const { kept, summary: folded } = await rememberAll(
      summary({ turns: 1 }),
      ["a", "b", "c"],
      [new Error("down"), "Of a and b."],
    );
    expect(kept).toEqual(["c"]);
    expect(folded).toBe("Of a and b.");
    expect((await rememberAll(summary({ turns: 1 }), ["a", "b"], [" "])).kept).toEqual(["a", "b"]);
  });

  it("stops when the run is stopped", async () => {
    const model = scriptedModel(["never said"]);
    const context = contextWith(model, { signal: AbortSignal.abort(new Error("enough")) });
    const remembered = summary({ turns: 1 }).remember({ summary: "", turns: [turn("a")] }, turn("b"), context);
    await expect(remembered).rejects.toThrow();
  });
});

it("a memory of the caller's own is told what it should have returned", async () => {
  const careless: Memory = { name: "careless", remember: () => JSON.parse('{ "summary": "", "turns": "none" }') };
  const asked = createAgent({ model: scriptedModel(["Final Answer: 4"]), memory: careless }).invoke({
    messages: "What is 2 + 2?",
  });
  await expect(asked).rejects.toThrow(/^memory: its remember returned a wrong value\. .*at turns/);
});
