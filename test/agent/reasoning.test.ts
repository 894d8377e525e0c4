import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { AgentOptions } from "../../src/agent/options.js";
import { keepSecret } from "../../src/base/secrets/known-secrets.js";
import type { TurnEvent } from "../../src/core/run/events.js";
import { createAgent, loadModel, streamTurn } from "../../src/index.js";
import { reasoningIn } from "../../src/middleware/reasoning/read-reasoning.js";
import { type ServerReply, startOpenAIServer } from "../helpers/openai-server.js";
import { allOf, piecesOf } from "../helpers/turn-events.js";
import { chunk, startWireServer } from "../helpers/wire-server.js";

const look = tool(() => "seen", { name: "look", description: "Looks.", schema: z.object({}) });
const thoughts = ["I must look at it. \n", "It was seen. "];
const replies: readonly ServerReply[] = [
  {
    text: "Let me look.",
    reasoning: { reasoning_content: thoughts[0] ?? "" },
    toolCalls: [{ name: "look", args: {} }],
  },
  { text: "I saw it.", reasoning: { reasoning_content: thoughts[1] ?? "" } },
];

/** Runs a turn whose replies a server gives. Returns its events. */
async function turn(script: readonly ServerReply[], options: Partial<AgentOptions> = {}, streaming = true) {
  await using server = await startOpenAIServer(script);
  return await turnWith(await loadModel("thinker", { baseUrl: server.url, streaming }), options);
}

async function turnWith(model: BaseChatModel, options: Partial<AgentOptions> = {}) {
  const agent = createAgent({ model, tools: [look], ...options });
  return await allOf(streamTurn(agent, { messages: "What is there?" }));
}

const textsOf = (events: readonly TurnEvent[], type: "reasoning" | "reasoning-delta" | "answer-delta" | "answer") =>
  events.flatMap((event) => (event.type === type ? event.text : []));

describe.each([
  { way: "streamed", streaming: true },
  { way: "whole", streaming: false },
])("the reasoning of $way replies", ({ streaming }) => {
  it.each(["reasoning_content", "reasoning"])(
    "goes back in its field %s, in the next step and the next turn",
    async (field) => {
      const script = ["One\n thought. ", " Two «🦊»"].map((thought, n) => {
        const calls = { toolCalls: [{ name: "look", args: {}, id: `call_${n}` }] };
        return { ...calls, reasoning: { [field]: thought } };
      });
      await using server = await startOpenAIServer([...script, "Done.", "Again."]);
      const model = await loadModel("thinker", { baseUrl: server.url, streaming });
      const agent = createAgent({ model, tools: [look], checkpointer: new MemorySaver() });
      const thread = { configurable: { thread_id: "t" } };
      await agent.invoke({ messages: "What is there?" }, thread);
      const { messages } = await agent.invoke({ messages: "And now?" }, thread);
      const sent = server.requests.map(({ body }) => body.messages.filter(({ role }) => role === "assistant"));
      const thoughts = sent.map((messages) => messages.map((message) => message[field]));
      const [one, two] = ["One\n thought. ", " Two «🦊»"];
      expect(thoughts).toEqual([[], [one], [one, two], [one, two, undefined]]);
      expect(messages.map(reasoningIn).filter((text) => text !== "")).toEqual([one, two]);
    },
  );

  it("comes in pieces and as a whole, before the decision of the reply, and never in the answer", async () => {
    const events = await turn(replies, {}, streaming);
    expect(textsOf(events, "reasoning")).toEqual(thoughts);
    expect(textsOf(events, "reasoning-delta").join("")).toBe(thoughts.join(""));
    expect(textsOf(events, "reasoning-delta").length > 2).toBe(streaming);
    expect(textsOf(events, "answer")).toEqual(["I saw it."]);
    expect(piecesOf(events)).toBe("I saw it.");
    const order = events.map(({ type }) => type).filter((type) => /^(?:reasoning|thought|action|answer)$/.test(type));
    expect(order).toEqual(["reasoning", "thought", "action", "reasoning", "answer"]);
    const first = events.findIndex(({ type }) => type === "reasoning-delta");
    expect(first).toBeLessThan(events.findIndex(({ type }) => type === "answer-delta"));
  });

  it("is not held back, even if the answer is", async () => {
    const data: ServerReply = { text: '{"seen":"it"}', reasoning: { reasoning: "So be it." } };
    const options = {
      output: z.object({ seen: z.string() }),
      middleware: [{ name: "same", afterModel: () => undefined }],
    };
    const events = await turn([data], options, streaming);
    const pieces = events.filter(({ type }) => type === "reasoning-delta" || type === "answer-delta");
    expect(pieces.at(0)?.type).toBe("reasoning-delta");
    expect(textsOf(events, "reasoning")).toEqual(["So be it."]);
    expect(textsOf(events, "answer")).toEqual(['{"seen":"it"}']);
  });

  it("has no known secret, also where a piece ends inside one", async () => {
    const secret = "one two-SECRET-three four";
    keepSecret(secret);
    const reasoning = { reasoning_content: `The key is ${secret}, is it? Or one two` };
    const events = await turn([{ text: "Done.", reasoning }], {}, streaming);
    expect(textsOf(events, "reasoning")).toEqual(["The key is [secret], is it? Or one two"]);
    expect(textsOf(events, "reasoning-delta").join("")).toBe("The key is [secret], is it? Or one two");
  });
});

it("reasoning is not sent to another model, which may refuse it", async () => {
  const [step] = replies;
  await using thinker = await startOpenAIServer([step ?? 500, 401]);
  await using other = await startOpenAIServer(["Done."]);
  const first = await loadModel("thinker", { baseUrl: thinker.url });
  const second = await loadModel("other", { baseUrl: other.url });
  const agent = createAgent({ model: [first, second], tools: [look] });
  expect((await agent.invoke({ messages: "What is there?" })).answer).toBe("Done.");
  const keys = other.requests.flatMap(({ body }) => body.messages.flatMap((message) => Object.keys(message)));
  expect(keys).toContain("content");
  expect(keys.filter((key) => key.startsWith("reasoning"))).toEqual([]);
});

it("the reasoning of a broken reply comes in pieces alone, and that of the retry also as a whole", async () => {
  const piece = (reasoning_content: string) => chunk({ role: "assistant", reasoning_content });
  await using server = await startWireServer([
    { before: piece("one ") + piece("two "), body: piece("three"), cut: true },
    { body: `${piece("four.")}${chunk({ content: "Done." })}${chunk({}, "stop")}data: [DONE]\n\n` },
  ]);
  const events = await turnWith(await loadModel("thinker", { baseUrl: server.url }));
  const retry = events.findIndex(({ type }) => type === "retry");
  expect(textsOf(events.slice(0, retry), "reasoning-delta").join("")).toMatch(/^one two /);
  expect(textsOf(events.slice(retry), "reasoning-delta")).toEqual(["four."]);
  expect(textsOf(events, "reasoning")).toEqual(["four."]);
});

it("the reasoning of a call that the server could not parse is emitted as a whole, too", async () => {
  const error = { message: "Failed to call a function.", code: "tool_use_failed", failed_generation: "<function=" };
  const reasoning = chunk({ role: "assistant", reasoning: "I call it." });
  await using server = await startWireServer([
    { before: reasoning, body: `data: ${JSON.stringify({ error })}\n\n` },
    { body: `${chunk({ role: "assistant", content: "Done." })}${chunk({}, "stop")}data: [DONE]\n\n` },
  ]);
  const events = await turnWith(await loadModel("thinker", { baseUrl: server.url }));
  expect(textsOf(events, "reasoning")).toEqual(["I call it."]);
  expect(textsOf(events, "answer")).toEqual(["Done."]);
});

it("reasoning without an end is cut off, as a reply is", async () => {
  const reasoning = { reasoning_content: Array(5).fill("a".repeat(300_000)).join(" ") };
  const events = await turn([{ text: "Done.", reasoning }, ...replies.slice(1)]);
  expect(textsOf(events, "reasoning")[0]).toHaveLength(1_200_003);
  expect(textsOf(events, "answer")).toEqual(["I saw it."]);
});
