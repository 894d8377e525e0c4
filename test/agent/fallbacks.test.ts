import { AIMessageChunk } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import type { ChatOpenAI } from "@langchain/openai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, InvalidOptionError, ModelError, streamTurn, summary } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { modelAt, type ServerReply, startOpenAIServer } from "../helpers/openai-server.js";
import { allOf } from "../helpers/turn-events.js";

const weather = tool(async ({ city }) => `sunny in ${city}`, {
  name: "weather",
  description: "Tells the weather of a city.",
  schema: z.object({ city: z.string() }),
});
const callsWeather = { toolCalls: [{ name: "weather", args: { city: "Ulm" } }] };
const writesWeather = ' I look.\nAction: weather\nAction Input: {"city": "Ulm"}';

/** Two servers with a model each. The first model has native tools, and the second one has none. */
async function twoServers(first: readonly ServerReply[], second: readonly ServerReply[]) {
  const servers = [await startOpenAIServer(first), await startOpenAIServer(second)] as const;
  return {
    one: modelAt(servers[0].url, { model: "gpt-4o" }),
    other: modelAt(servers[1].url, { model: "o1-mini" }),
    servers,
    async [Symbol.asyncDispose]() {
      for (const server of servers) await server.close();
    },
  };
}

const thread = { configurable: { thread_id: "1" } };

describe("a model that fails", () => {
  it.each([
    ["a list", (one: ChatOpenAI, other: ChatOpenAI) => [one, other]],
    ["withFallbacks", (one: ChatOpenAI, other: ChatOpenAI) => one.withFallbacks([other])],
  ])("is replaced by the next one of %s until the end of the turn, each in its own protocol", async (_, join) => {
    await using given = await twoServers(
      [callsWeather, 500, "Fine."],
      [writesWeather, " I know.\nFinal Answer: Sunny."],
    );
    const model = join(given.one, given.other);
    const agent = createAgent({ model, tools: [weather], rephrase: false, checkpointer: new MemorySaver() });
    const events = await allOf(streamTurn(agent, { messages: "Weather?" }, thread));
    expect(events.find(({ type }) => type === "answer")).toMatchObject({ text: "Sunny." });
    expect(events.filter(({ type }) => type === "model-fallback")).toMatchObject([
      { from: "gpt-4o", to: "o1-mini", why: expect.stringContaining("failed (500)"), step: 2 },
    ]);
    expect(events.at(-1)).toMatchObject({
      usage: { turn: { modelCalls: 3, models: { "gpt-4o": { modelCalls: 1 }, "o1-mini": { modelCalls: 2 } } } },
    });
    const tools = given.servers.map(({ requests }) => requests.map(({ body }) => body.tools?.length));
    expect(tools).toEqual([
      [1, 1],
      [undefined, undefined],
    ]);
    const next = await agent.invoke({ messages: "How are you?" }, thread);
    expect(next).toMatchObject({ answer: "Fine.", reply: { model: "gpt-4o", protocol: "tool-calling" } });
  });

  it("in the middle of its reply is replaced, also by one of the same name, and leaves no part of the reply", async () => {
    await using given = await twoServers([{ text: "It rains cats", cutAfterPieces: 2 }], ["Sunny."]);
    const agent = createAgent({
      model: [given.one, modelAt(given.servers[1].url, { model: "gpt-4o" })],
      checkpointer: new MemorySaver(),
    });
    const events = await allOf(streamTurn(agent, { messages: "Weather?" }, thread));
    expect(events).toContainEqual(expect.objectContaining({ type: "model-fallback", from: "gpt-4o", to: "gpt-4o#2" }));
    const { values } = await agent.getState(thread);
    expect(values.answer).toBe("Sunny.");
    expect(JSON.stringify(values.messages)).not.toContain("It rains");
  });

  it("is replaced for rephrasing and for a summary, too", async () => {
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    const down = scriptedModel(Array.from({ length: 9 }, () => new Error("down")));
    const up = scriptedModel(["One.", "Two.", "A summary.", "Question three?", "Three."], { usage });
    const options = { memory: summary({ turns: 1 }), checkpointer: new MemorySaver() };
    const agentThat = (rephrase: boolean) => createAgent({ model: [down, up], rephrase, ...options });
    await agentThat(false).invoke({ messages: "Question one?" }, thread);
    await agentThat(false).invoke({ messages: "And two?" }, thread);
    const before = down.calls.length;
    const agent = agentThat(true);
    const events = await allOf(streamTurn(agent, { messages: "And three?" }, thread));
    // The failing model is asked once in a turn, and the turn stays with the model that works.
    expect(down.calls.length - before).toBe(1);
    expect(events.filter(({ type }) => type === "model-fallback")).toMatchObject([{ purpose: "summary" }]);
    const { values } = await agent.getState(thread);
    expect(values).toMatchObject({
      answer: "Three.",
      question: "Question three?",
      chatHistory: { summary: "A summary." },
    });
    expect(values.usage).toMatchObject({ turn: { modelCalls: 3, inputTokens: 3 }, thread: { modelCalls: 5 } });
  });
});

it("a model that failed in a turn is called last, but not left out", async () => {
  const good = "Fine.";
  const one = scriptedModel([new Error("down"), good]);
  const other = scriptedModel(["One.", "Two.", "A summary?", new Error("down")]);
  const options = { memory: summary({ turns: 1 }), rephrase: false, checkpointer: new MemorySaver() };
  for (const messages of ["One?", "Two?"]) await createAgent({ model: other, ...options }).invoke({ messages }, thread);
  const turn = streamTurn(createAgent({ model: [one, other], ...options }), { messages: "Three?" }, thread);
  const events = await allOf(turn);
  expect(events.filter(({ type }) => type === "model-fallback")).toMatchObject([
    { purpose: "summary", to: "glassloop-scripted#2" },
    { purpose: "reply", from: "glassloop-scripted#2" },
  ]);
  expect(events.find(({ type }) => type === "answer")).toMatchObject({ text: good });
});

it("models that all fail give the reasons of all of them", async () => {
  await using given = await twoServers([401], [{ status: 400, message: "No." }]);
  const asked = createAgent({ model: [given.one, given.other] }).invoke({ messages: "Hi" });
  await expect(asked).rejects.toThrow(ModelError);
  await expect(asked).rejects.toMatchObject({
    kind: "refused",
    status: 400,
    message: expect.stringMatching(/^No model answered\. gpt-4o: .*API key.* o1-mini: .*No\./),
  });
});

it("a mistake in the options does not count as a failing model", async () => {
  const untooled = scriptedModel(["never"], { nativeTools: false });
  const agent = createAgent({
    model: [untooled, scriptedModel(["never"])],
    tools: [weather],
    protocol: "tool-calling",
  });
  await expect(agent.invoke({ messages: "Hi" })).rejects.toThrow(InvalidOptionError);
});

it("after an abort no other model is called", async () => {
  const cancelling = new AbortController();
  const cancelled = () => {
    cancelling.abort(new Error("enough"));
    return new Promise<string>(() => {});
  };
  const other = scriptedModel(["never"]);
  const asked = createAgent({ model: [scriptedModel([cancelled]), other] });
  await expect(asked.invoke({ messages: "Hi" }, { signal: cancelling.signal })).rejects.toThrow("enough");
  expect(other.calls).toEqual([]);
});

const noModel = RunnableLambda.from(() => new AIMessageChunk("x"));
it.each([
  ["an empty list", [], /^model: .*give at least one model/],
  ["a list with something else", ["openai:m", noModel], /^model.*give a LangChain chat model/],
  [
    "a fallback that is no chat model",
    scriptedModel([]).withFallbacks([noModel]),
    /^model: .*give a LangChain chat model/,
  ],
])("%s is refused", (_, model, message) => {
  expect(() => createAgent({ model })).toThrow(InvalidOptionError);
  expect(() => createAgent({ model })).toThrow(message);
});

it("settings around withFallbacks are refused, because no model would get them", async () => {
  const around = scriptedModel(["a"])
    .withFallbacks([scriptedModel(["b"])])
    .withConfig({ tags: ["x"] });
  await expect(createAgent({ model: around }).invoke({ messages: "Hi" })).rejects.toThrow(/bind them to each model/);
});
