import type { BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  type AgentOptions,
  createAgent,
  createRetrievalAgent,
  type ModelPrompt,
  openThreads,
  promptOf,
  promptsOf,
  structuredChat,
  summary,
  ThreadError,
  toolCalling,
} from "../../../src/index.js";
import { protocols } from "../../../src/protocols/by-name.js";
import { type ScriptedReply, scriptedModel } from "../../../src/testing/index.js";
import { coded } from "../../helpers/coded.js";
import { type ServerReply, type ServerRequest, startOpenAIServer } from "../../helpers/openai-server.js";
import { dialects } from "../../matrix/dialects.js";
import { matrix } from "../../matrix/matrix.js";
import { retrieverOf } from "../../retrieval/scripted-retrieval.js";

const thread = { configurable: { thread_id: "t" } };
const echo = tool(async ({ text }) => `${text} `.repeat(1_500), {
  name: "echo",
  description: "Says the text.",
  schema: z.object({ text: z.string() }),
});

const call = { tool_calls: [{ name: "echo", args: { text: "a" } }] };

function served(reply: ScriptedReply): ServerReply {
  if (typeof reply === "string") return reply;
  const { content = "", tool_calls: calls = [] } = Object(reply);
  return { text: content, toolCalls: calls };
}

const modelAt = (url: string) =>
  new ChatOpenAI({ model: "gpt-4o-mini", apiKey: "key", configuration: { baseURL: url }, maxRetries: 0 });

/** Returns what goes to a model in a request. */
function sentIn({ body: { messages, stop = null, tools = [] } }: ServerRequest) {
  const specs = z.array(z.object({ function: z.looseObject({ parameters: z.looseObject({}) }) })).parse(tools);
  for (const { function: spec } of specs) delete spec.parameters.$schema;
  return JSON.stringify({ messages, stop, tools: specs });
}

/** Sends prompts to a server of their own, and returns what came there. */
async function sendAgain(prompts: readonly ModelPrompt[]): Promise<string[]> {
  await using server = await startOpenAIServer(() => "Yes.");
  const model = modelAt(server.url);
  for (const { messages, stop, tools } of prompts) {
    const specs = tools.map((spec) => ({ type: "function", function: spec }));
    const options = { ...(stop.length > 0 && { stop: [...stop] }), ...(specs.length > 0 && { tools: specs }) };
    await model.withConfig(Object(options)).invoke([...messages]);
  }
  return server.requests.map(sentIn);
}

async function read(prompts: AsyncGenerator<ModelPrompt>): Promise<ModelPrompt[]> {
  const all: ModelPrompt[] = [];
  for await (const prompt of prompts) all.push(prompt);
  return all;
}

const variants: readonly (readonly [string, Partial<AgentOptions>])[] = [
  ["no options", {}],
  [
    "instructions, examples, the date and a summary",
    {
      instructions: "Be brief.",
      examples: ["An example."],
      currentDate: true,
      memory: summary({ turns: 1 }),
      rephrase: true,
    },
  ],
  ["little room and an output", { modelCalls: { contextTokens: 3_000 }, output: z.object({ name: z.string() }) }],
];

const cases = dialects.flatMap((dialect) => variants.map(([what, options]) => ({ ...dialect, what, options })));
const usual = cases.filter(
  ({ protocol, what }) =>
    (protocol === "react" && what.startsWith("instructions")) ||
    (protocol === "tool-calling" && what.startsWith("little room")),
);

it.each(matrix(cases, ...usual))(
  "the prompts of a thread are what the server got, byte for byte ($protocol with $what)",
  async ({ protocol, act, answer, unreadable, options }) => {
    const look = act("echo", protocol === "self-ask" ? "a" : { text: "a" });
    const said = (name: string) => answer(options.output ? JSON.stringify({ name }) : name);
    const script = [look, unreadable, said("One"), look, look, said("Two"), said("Three")];
    await using server = await startOpenAIServer(({ body }) => {
      const last = String(body.messages.at(-1)?.content);
      if (last.startsWith("Given the following conversation")) return "What is it about?";
      if (last.startsWith("Progressively summarize")) return "They spoke.";
      return served(script.shift() ?? "");
    });
    const checkpointer = new MemorySaver();
    const agent = createAgent({ model: modelAt(server.url), protocol, tools: [echo], checkpointer, ...options });
    for (const messages of ["First?", "Second?", "Third?"]) {
      expect((await agent.invoke({ messages }, thread)).stopReason).toBe("answered");
    }
    const prompts = await read(promptsOf(agent, "t"));
    expect(prompts.map(({ exact, differs }) => ({ exact, differs }))).toEqual(prompts.map(() => ({ exact: true })));
    const summary = options.memory ? ["summary"] : [];
    const rephrasing = options.rephrase || protocol !== "tool-calling" ? ["rephrasing"] : [];
    expect(prompts.map(({ purpose }) => purpose)).toEqual([
      ...["reply", "reply", "reply"],
      ...[...rephrasing, "reply", "reply", "reply"],
      ...[...summary, ...rephrasing, "reply"],
    ]);
    expect(await sendAgain(prompts)).toEqual(server.requests.map(sentIn));
  },
);

const texts = (messages: readonly BaseMessage[] = []) => messages.map(({ text }) => text).join("\n");

describe("the prompt of a checkpoint", () => {
  async function answered() {
    const model = scriptedModel([call, "One.", "About it?", "Two."]);
    const agent = createAgent({ model, tools: [echo], rephrase: true, checkpointer: new MemorySaver() });
    await agent.invoke({ messages: "First?" }, thread);
    return { agent, model };
  }

  it("is that of the newest call before it, with its reply, its tools and its model", async () => {
    const { agent, model } = await answered();
    for await (const { config, values } of agent.getStateHistory(thread)) {
      const prompt = await promptOf(agent, "t", config.configurable?.checkpoint_id);
      const calls = values.usage?.turn.modelCalls ?? 0;
      expect(prompt && texts(prompt.messages)).toBe(calls > 0 ? model.calls[calls - 1]?.prompt : undefined);
    }
    expect((await read(promptsOf(agent, "t")))[0]).toMatchObject({
      purpose: "reply",
      turn: 1,
      model: "glassloop-scripted",
      protocol: "tool-calling",
      text: "",
      toolCalls: [{ name: "echo", args: { text: "a" } }],
      tools: [{ name: "echo", description: "Says the text." }],
      stop: [],
      exact: true,
    });
    expect(await promptOf(agent, "other")).toBeUndefined();
    const missing = promptOf(agent, "t", "1f0e0000-0000-6000-8000-000000000000");
    await expect(missing).rejects.toThrow(coded(ThreadError, "checkpoint-not-kept"));
    // An agent of another copy of the package.
    const other: typeof agent = Object.create(agent, { builder: { value: {} } });
    expect(await promptOf(other, "t")).toMatchObject({ purpose: "reply", exact: true });
  });

  it("follows the branch of the checkpoint", async () => {
    const { agent, model } = await answered();
    const { config } = await agent.getState(thread);
    const before = config.configurable?.checkpoint_id;
    await agent.invoke({ messages: "Second?" }, thread);
    expect(texts((await promptOf(agent, "t"))?.messages)).toBe(model.calls[3]?.prompt);
    expect(texts((await promptOf(agent, "t", before))?.messages)).toBe(model.calls[1]?.prompt);
    expect(await read(promptsOf(agent, "t", before))).toHaveLength(2);
    expect(await read(promptsOf(agent, "t"))).toHaveLength(4);
  });

  it("is left out if its checkpoint is deleted while the prompts are read", async () => {
    const { agent } = await answered();
    const prompts = promptsOf(agent, "t");
    expect((await prompts.next()).value).toMatchObject({ purpose: "reply", exact: true });
    if (typeof agent.checkpointer === "object") await agent.checkpointer.deleteThread("t");
    expect(await prompts.next()).toEqual({ value: undefined, done: true });
  });
});

it("the prompts of a thread that has only the last checkpoints of its turns are what was sent, in order", async () => {
  const { retriever } = retrieverOf(() => ["The tower is 330 metres high."]);
  const turn = [
    "One of them helps: 1.",
    "It is 300 metres high [1].",
    "NO: it is 330",
    "It is 330 metres high [1].",
    "YES",
  ];
  const model = scriptedModel([...turn, "How high is it?", ...turn]);
  const checkpointer = new MemorySaver();
  const agent = createRetrievalAgent({ model, retriever, checkpointer, durability: "exit", grade: true, check: true });
  for (const messages of ["How high?", "How high is it?"]) await agent.invoke({ messages }, thread);
  const prompts = await read(promptsOf(agent, "t"));
  const purposes = ["grading", "reply", "check", "reply", "check"];
  expect(prompts.map(({ purpose }) => purpose)).toEqual([...purposes, "rephrasing", ...purposes]);
  expect(prompts.map(({ exact }) => exact)).toEqual(prompts.map(() => true));
  expect(prompts.map(({ messages }) => texts(messages))).toEqual(model.calls.map(({ prompt }) => prompt));
});

describe("a prompt that may differ from what was sent", () => {
  const ask = async (options: Partial<AgentOptions>) => {
    const agent = createAgent({
      model: scriptedModel(["Final Answer: Yes."]),
      checkpointer: new MemorySaver(),
      ...options,
    });
    await agent.invoke({ messages: "Hi?" }, thread);
    return agent;
  };

  it("says that its protocol is unknown, because the agent has another protocol or a function", async () => {
    const own = { ...protocols.react, name: "own" };
    const agent = await ask({ protocol: () => own });
    const differs =
      'The agent cannot write the protocol "own" of this call. Give an agent whose option protocol it is, and not a function that returns it.';
    const { checkpointer } = agent;
    const model = scriptedModel([]);
    for (const other of [agent, createAgent({ model, checkpointer })])
      expect(await promptOf(other, "t")).toMatchObject({ messages: [], exact: false, differs });
    expect(await promptOf(createAgent({ model, checkpointer, protocol: own }), "t")).toMatchObject({ exact: true });
  });

  it("says that Glassloop's own words have changed", async () => {
    const { checkpointer } = await ask({ protocol: { ...protocols.react, name: "own" } });
    const own = { ...protocols["structured-chat"], name: "own" };
    const other = createAgent({ model: scriptedModel([]), protocol: own, checkpointer });
    expect(await promptOf(other, "t")).toMatchObject({
      exact: false,
      differs: expect.stringContaining("words the prompt differently"),
    });
  });

  it("says that the thread has too few checkpoints", async () => {
    const first = scriptedModel([call, new Error("down")]);
    const model = [first, scriptedModel(["A."])] as const;
    const agent = createAgent({ model, tools: [echo], checkpointer: new MemorySaver() });
    await agent.invoke({ messages: "One?" }, { ...thread, durability: "exit" });
    const prompts = await read(promptsOf(agent, "t"));
    expect(prompts.map(({ exact }) => exact)).toEqual([false, true]);
    expect(prompts[0]?.differs).toContain("has no checkpoint from before the call");
  });

  it("does not exist for a reply that a person wrote", async () => {
    const agent = await ask({});
    const before = await promptOf(agent, "t");
    await agent.updateState(thread, { reply: { text: "Mine.", toolCalls: [], invalidToolCalls: [] } }, "plan");
    expect(before).toMatchObject({ exact: true });
    expect(await promptOf(agent, "t")).toEqual(before);
    expect(await read(promptsOf(agent, "t"))).toEqual([before]);
  });
});

describe("an agent that made no model call of a thread itself", () => {
  const own = { wording: () => "Other words." };
  it.each([
    ["a built-in protocol", protocols.react, protocols["structured-chat"], true],
    ["options that are data", toolCalling({ wording: "Help." }), toolCalling(), true],
    ["a function, with that agent's own", structuredChat(own), structuredChat(own), true],
    ["a function that it does not have", structuredChat(own), structuredChat(), false],
  ])("shows prompts with %s", async (_what, protocol, others, exact) => {
    await using threads = await openThreads("memory:");
    const { checkpointer } = threads;
    const model = scriptedModel([
      'Final Answer: Yes.\nAction:\n```json\n{"action": "Final Answer", "action_input": "Yes."}\n```',
    ]);
    await createAgent({ model, protocol, tools: [echo], checkpointer }).invoke({ messages: "Hi?" }, thread);
    const other = createAgent({ model: "offline", protocol: others, checkpointer });
    expect(await promptOf(other, "t")).toMatchObject({ exact });
  });
});

it("a reply that was read from a note counts as no model call, also in a later turn", async () => {
  const { retriever } = retrieverOf(() => ["The tower is 330 metres high, they say.", "Cats sleep all day."]);
  const model = scriptedModel(Array(8).fill("It is 330 metres high [1]."));
  const checkpointer = new MemorySaver();
  const agent = createRetrievalAgent({ model, retriever, checkpointer, combine: "map-rerank", rephrase: false });
  for (const messages of ["How high?", "And the other one?"]) await agent.invoke({ messages }, thread);
  const prompts = (await read(promptsOf(agent, "t"))).map(({ purpose, exact }) => [purpose, exact]);
  const turn = ["note", "note", "reply"].map((purpose) => [purpose, true]);
  expect(prompts).toEqual([...turn, ...turn]);
});
