import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent } from "../../src/agent/create-agent.js";
import { promptsOf } from "../../src/agent/prompts/prompt-of.js";
import { ThreadError } from "../../src/base/errors.js";
import { type ScriptedReply, scriptedModel } from "../../src/testing/index.js";
import { openThreads } from "../../src/threads/open.js";
import { calculator } from "../../src/tools/calculator/calculator.js";
import { coded } from "../helpers/coded.js";
import { querySqlite } from "../helpers/query-sqlite.js";
import { memory, sqlite } from "../matrix/databases.js";
import { at, openKind } from "../threads/open-kind.js";
import { asking, call, toolOf } from "./tainted.js";

const calculate = " Sum\nAction: calculator\nAction Input: 2+2";
const answer = (text: string) => ` I know\nFinal Answer: ${text}`;
const notAnswered = "I did not answer this question: the turn was interrupted.";
const lost = (tool: string) => `What ${tool} returned was lost. The call may or may not have taken effect.`;
const mayHaveRun = (tool: string) =>
  `${notAnswered} It was about to call ${tool}, and it is not known whether that took effect.`;
const undecided = "The turn was stopped while a decision was missing. A call that waited for it did not run.";

type Saver = Parameters<typeof createAgent>[0]["checkpointer"];

function worldOn(checkpointer: Saver, ...replies: ScriptedReply[]) {
  const model = scriptedModel(replies);
  const agent = createAgent({ model, tools: [calculator()], protocol: "react", rephrase: false, checkpointer });
  return { agent, seen: () => model.calls.at(-1)?.prompt };
}

const agentOn = (...options: Parameters<typeof worldOn>) => worldOn(...options).agent;

const texts = (messages: readonly BaseMessage[] = []) => messages.map(({ text }) => text);

async function textsOf(checkpointer: Saver): Promise<string[]> {
  return texts((await agentOn(checkpointer).getState(at("t"))).values.messages);
}

test("a turn that was stopped before it began keeps the data of the turn before", async () => {
  const sum = { tool_calls: [{ name: "calculator", args: { expression: "2 + 2" } }] };
  const model = scriptedModel([sum, sum, "Four.", "Five."]);
  const agent = createAgent({ model, tools: [calculator()], limits: { maxSteps: 1 }, checkpointer: new MemorySaver() });
  await agent.invoke({ messages: "2 + 2?" }, at("t"));
  await agent.invoke({ messages: "2 + 3?" }, { ...at("t"), interruptBefore: ["rephrase-question"] });
  await agent.invoke({ messages: "And now?" }, at("t"));
  expect(texts(model.calls.at(-1)?.messages).slice(-6)).toEqual([
    "4",
    "Four.",
    "(The turn ended here at a limit, before the question was settled.)",
    "2 + 3?",
    notAnswered,
    "And now?",
  ]);
  const prompts: [turn: number, exact: boolean][] = [];
  for await (const { turn, exact } of promptsOf(agent, "t")) prompts.push([turn, exact]);
  expect(prompts).toEqual([1, 1, 1, 3].map((turn) => [turn, true]));
});

describe("a thread with an unfinished turn", () => {
  test.each([
    { before: "rephrase-question", step: [], shown: "", said: notAnswered },
    { before: "parse", step: [], shown: "", said: notAnswered },
    {
      before: "act",
      step: ["Sum", lost("calculator")],
      shown: `Called calculator: {"expression":"2+2"}\nResult of calculator: ${lost("calculator")}\n`,
      said: mayHaveRun("calculator"),
    },
  ] as const)("before $before is repaired by the next question", async ({ before, step, shown, said }) => {
    const { threads } = await openKind(memory);
    const { checkpointer } = threads;
    await agentOn(checkpointer, answer("Hello!")).invoke({ messages: "Say hello" }, at("t"));
    await agentOn(checkpointer, calculate).invoke({ messages: "2 + 2?" }, { ...at("t"), interruptBefore: [before] });
    expect((await threads.get("t"))?.status).toBe("interrupted");

    const { agent, seen } = worldOn(checkpointer, answer("Six."));
    const state = await agent.invoke({ messages: "3 + 3?" }, at("t"));
    expect(state).toMatchObject({ answer: "Six.", turn: { number: 3 }, stopReason: "answered" });
    expect(state.chatHistory.turns).toMatchObject([
      { question: "Say hello", answer: "Hello!", stopReason: "answered" },
      { question: "2 + 2?", answer: said, stopReason: "interrupted" },
    ]);
    expect(seen()).toContain(`Q: Say hello\nA: Hello!\nQ: 2 + 2?\n${shown}A: ${said}\n`);
    expect(await textsOf(checkpointer)).toEqual(["Say hello", "Hello!", "2 + 2?", ...step, said, "3 + 3?", "Six."]);
    const { turns } = await threads.history("t");
    expect(turns).toMatchObject([
      { asked: "Say hello", stopReason: "answered" },
      { asked: "2 + 2?", answer: said, stopReason: "interrupted" },
      { asked: "3 + 3?", stopReason: "answered" },
    ]);
    expect(turns[1]?.steps.at(-1)).toMatchObject({ source: "update", next: [] });
    expect(await threads.get("t")).toMatchObject({ turns: 3, status: "idle" });
  });

  test("while a call waits for a decision has an answer that says so, and the results of the other calls", async () => {
    const { threads } = await openKind(memory);
    const { checkpointer } = threads;
    const tools = [toolOf("ask", () => interrupt("Sure?")), toolOf("pay", () => "paid")];
    const agent = asking([call("ask", "pay"), "Six."], { tools, checkpointer, taint: undefined });
    await agent.invoke({ messages: "May I?" }, at("t"));
    expect((await threads.get("t"))?.status).toBe("waiting");
    await agent.invoke({ messages: "3 + 3?" }, at("t"));
    const said = `${notAnswered} It was waiting for a decision about ask, and ask did not run.`;
    expect(await textsOf(checkpointer)).toEqual(["May I?", "", "paid", undecided, said, "3 + 3?", "Six."]);
  });

  test("whose tool died after the decision has an answer that says that the call may have happened", async () => {
    const checkpointer = new MemorySaver();
    const stop = new AbortController();
    const refund = toolOf("refund", () => {
      interrupt("Sure?");
      stop.abort(new Error("killed"));
      return new Promise(() => {});
    });
    const agent = asking([call("refund"), "Six."], { tools: [refund], checkpointer, taint: undefined });
    await agent.invoke({ messages: "May I?" }, at("t"));
    const resumed = agent.invoke(new Command({ resume: "yes" }), { ...at("t"), signal: stop.signal });
    await expect(resumed).rejects.toThrow("killed");
    await agent.invoke({ messages: "3 + 3?" }, at("t"));
    expect((await textsOf(checkpointer)).slice(2, 4)).toEqual([
      lost("refund"),
      mayHaveRun("refund").replace("interrupted", "cancelled"),
    ]);
  });

  test.each([
    { error: new Error("the model is away"), cause: "the model is away." },
    { error: new RangeError(""), cause: "RangeError." },
    { error: new Error("x".repeat(2000)), cause: `${"x".repeat(500)}…` },
  ])("after an error keeps the cause of the error at the next question", async ({ error, cause }) => {
    const { threads } = await openKind(memory);
    const { agent, seen } = worldOn(threads.checkpointer, error, answer("Six."));
    await expect(agent.invoke({ messages: "2 + 2?" }, at("t"))).rejects.toThrow(error);
    const state = await agent.invoke({ messages: "3 + 3?" }, at("t"));
    const said = `I did not answer this question, because of an error: ${cause}`;
    expect(state.chatHistory.turns).toMatchObject([{ question: "2 + 2?", answer: said, stopReason: "failed" }]);
    expect(seen()).toContain(`Q: 2 + 2?\nA: ${said}\n`);
    expect(await textsOf(threads.checkpointer)).toEqual(["2 + 2?", said, "3 + 3?", "Six."]);
    const { turns } = await threads.history("t");
    expect(turns[0]).toMatchObject({ asked: "2 + 2?", answer: said, stopReason: "failed" });
  });

  test("before its first turn began keeps its earlier messages", async () => {
    const { threads } = await openKind(memory);
    const { checkpointer } = threads;
    const messages = [new HumanMessage("I am Ann"), new AIMessage("Hello Ann"), new HumanMessage("Who am I?")];
    await agentOn(checkpointer).invoke({ messages }, { ...at("t"), interruptBefore: ["rephrase-question"] });
    const { agent, seen } = worldOn(checkpointer, answer("Ann."));
    const state = await agent.invoke({ messages: "My name?" }, at("t"));
    expect(state.chatHistory.turns.map(({ answer }) => answer)).toEqual(["Hello Ann", notAnswered]);
    expect(seen()).toContain(`Q: I am Ann\nA: Hello Ann\nQ: Who am I?\nA: ${notAnswered}\n`);
    expect(await threads.get("t")).toMatchObject({ title: "Who am I?", turns: 2 });
  });
});

test("a tool call without a result gets one in an empty thread", async () => {
  const calls = ["a", "b"].map((id) => ({ id, name: "look", args: {}, type: "tool_call" as const }));
  const messages = [
    new HumanMessage({ id: "1", content: "Look" }),
    new AIMessage({ id: "2", content: "", tool_calls: calls }),
    new ToolMessage({ id: "3", content: "seen", tool_call_id: "a" }),
    new AIMessage({ id: "4", content: "I saw it" }),
    new HumanMessage({ id: "5", content: "And now?" }),
  ];
  const { messages: kept } = await agentOn(undefined, answer("Nothing.")).invoke({ messages }, at("t"));
  const ids = kept.map(({ id }: BaseMessage) => id);
  expect(ids).toEqual(["1", "2", "3", "b-observation", "4", "5", expect.stringMatching(/^[0-9a-f]{12}$/)]);
  expect(kept[3]).toMatchObject({ tool_call_id: "b", name: "look", status: "error" });
  expect(kept[3]?.text).toContain("was lost");
});

describe("a truncated checkpoint", () => {
  const effects: string[] = [];
  const note = tool(({ input }: { input: string }) => effects.push(input).toString(), {
    name: "note",
    description: "Notes something.",
    schema: z.object({ input: z.string() }),
  });

  /** A thread whose newest checkpoint is the one after a tool step; and the file it is in. */
  async function damaged(damage: string) {
    const { threads, url } = await openKind(sqlite);
    effects.length = 0;
    const model = scriptedModel([answer("Hello!"), " Note\nAction: note\nAction Input: it"]);
    const { checkpointer } = threads;
    const agent = createAgent({ model, tools: [note], protocol: "react", rephrase: false, checkpointer });
    await agent.invoke({ messages: "Say hello" }, at("t"));
    await agent.invoke({ messages: "Note it" }, { ...at("t"), interruptAfter: ["act"] });
    const { turns } = await threads.history("t");
    const [before, newest] = (turns[1]?.steps ?? []).slice(-2).map(({ checkpoint }) => checkpoint);
    await querySqlite(url.slice("sqlite:".length), damage.replaceAll("NEWEST", `'${newest}'`));
    return { again: await openThreads(url), before, newest };
  }

  const ofNewest = "thread = 't' and id = NEWEST";
  test.each([
    ["body", `update glassloop_checkpoints set body = substr(body, 1, 40) where ${ofNewest}`],
    ["metadata", `update glassloop_checkpoints set metadata = '{"source":"lo' where ${ofNewest}`],
    ["shape", `update glassloop_checkpoints set shape = 'gone' where ${ofNewest}`],
    [
      "channel",
      `update glassloop_versions set body = '{"kept":0,"items":["a' where thread = 't' and channel = 'intermediateSteps'
        and version = (select max(version) from glassloop_versions where channel = 'intermediateSteps')`,
    ],
  ])(
    "in its %s is set aside, and the turn resumes from the checkpoint before without a second effect",
    async (_part, damage) => {
      const { again, before, newest } = await damaged(damage);
      await using threads = again;
      const { checkpointer } = threads;
      const model = scriptedModel([answer("Noted.")]);
      const agent = createAgent({ model, tools: [note], protocol: "react", rephrase: false, checkpointer });
      await expect(agent.getState(at("t", newest))).rejects.toThrow(coded(ThreadError, "damaged-thread"));
      const state = await agent.invoke(null, at("t"));
      expect(state).toMatchObject({ answer: "Noted.", intermediateSteps: [{ results: [{ observation: "1" }] }] });
      expect(effects).toEqual(["it"]);
      const { turns } = await threads.history("t");
      const repaired = turns.flatMap(({ steps }) => steps).filter(({ repaired }) => repaired !== undefined);
      expect(repaired).toMatchObject([{ checkpoint: before, repaired: [newest] }]);
      // All that works with whole threads works with this one.
      await using elsewhere = await openThreads("memory:");
      await threads.copy("t", elsewhere);
      expect(await elsewhere.get("t")).toMatchObject({ turns: 2, status: "idle" });
      for await (const { config } of agent.getStateHistory(at("t")))
        expect(config.configurable?.checkpoint_id).not.toBe(newest);
      expect(await threads.prune({ keepTurns: 0 })).toMatchObject({ threads: 1 });
      expect(await elsewhere.prune({ keepTurns: 0 })).toMatchObject({ threads: 1 });
    },
  );

  test("in a part that its whole thread needs is left out when the other threads are pruned", async () => {
    const { again } = await damaged(
      "update glassloop_versions set body = '{' where channel = 'messages' and base is null and thread = 't'",
    );
    await using threads = again;
    await agentOn(threads.checkpointer, answer("Hello!")).invoke({ messages: "Say hello" }, at("whole"));
    expect(await threads.prune({ keepTurns: 0 })).toMatchObject({ threads: 1, damaged: ["t"] });
    const { turns } = await threads.history("t");
    const newest = turns.at(-1)?.steps.at(-1)?.checkpoint ?? "";
    await expect(threads.fork("t", newest, "new")).rejects.toThrow(coded(ThreadError, "damaged-thread"));
    await expect(agentOn(threads.checkpointer).getState(at("t"))).rejects.toThrow(coded(ThreadError, "damaged-thread"));
  });
});
