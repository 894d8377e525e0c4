import type { IncomingMessage } from "node:http";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { expect, it } from "vitest";
import { createAgent, streamTurn, type TurnEvent } from "../../src/index.js";
import { windowOf } from "../../src/model/context-window.js";
import { modelAt, startOpenAIServer } from "../helpers/openai-server.js";
import { textTool } from "../helpers/tools.js";

const trained = { model_info: { "llama.context_length": 131_072 } };
const modelfile = (numCtx: string) => ({ ...trained, parameters: `stop                "</s>"\nnum_ctx${numCtx}` });
const loaded = (name: string, context_length: number) => ({ name, model: name, context_length });
/** A result of 50,000 tokens. */
const read = textTool("read", () => `BEGINNING${"x ".repeat(100_000)}END`);
const call = { toolCalls: [{ name: "read", args: { text: "a" } }] };

it.each<[server: string, pages: Record<string, object>, window: number]>([
  [
    "Ollama",
    { "/api/ps": { models: [loaded("n:latest", 512), loaded("m:latest", 4_096)] }, "/api/show": modelfile("  9") },
    4_096,
  ],
  ["Ollama with a Modelfile", { "/api/ps": { models: [] }, "/api/show": modelfile("                16384") }, 16_384],
  ["Ollama without the model", { "/api/ps": { models: [loaded("n", 512)] }, "/api/show": trained }, 8_192],
  [
    "vLLM",
    {
      "/v1/models": {
        data: [
          { id: "n", max_model_len: 512 },
          { id: "m", max_model_len: 16_384 },
        ],
      },
    },
    16_384,
  ],
  [
    "llama.cpp",
    {
      "/props": { default_generation_settings: { n_ctx: 4_096 } },
      "/v1/models": { data: [{ id: "m", meta: { n_ctx_train: 131_072 } }] },
    },
    4_096,
  ],
  [
    "LM Studio",
    { "/api/v0/models": { data: [{ id: "m", loaded_context_length: 4_096, max_context_length: 131_072 }] } },
    4_096,
  ],
  ["a server that does not know", { "/v1/models": { data: [{ id: "m" }] }, "/props": {} }, 8_192],
  ["a server that has no such page", {}, 8_192],
])("a large result is cut to the window that is in force at %s", async (name, pages, window) => {
  const asked: IncomingMessage[] = [];
  await using server = await startOpenAIServer([call, "Read.", call, "Again."], { pages, asked });
  const agent = createAgent({ model: modelAt(server.url), tools: [read], checkpointer: new MemorySaver() });
  const thread = { configurable: { thread_id: "1" } };
  const events: TurnEvent[] = [];
  for await (const event of streamTurn(agent, { messages: "Read it." }, thread)) events.push(event);
  const sent = JSON.stringify(server.requests[1]?.body).length / 4;
  expect(sent).toBeLessThan(window);
  expect(sent).toBeGreaterThan(window / 2);
  expect(JSON.stringify(server.requests[1]?.body)).toMatch(/BEGINNING.*characters are left out here.*END/);
  expect(events).toContainEqual(expect.objectContaining({ type: "shortened", observations: 1, turns: 0 }));
  const { values } = await agent.getState(thread);
  expect(values.intermediateSteps[0].results[0].observation).toHaveLength(200_012);
  expect(new Set(asked.map(({ headers }) => headers.authorization))).toEqual(new Set(["Bearer key"]));

  // What a server told is kept. A model that was not loaded may be so now.
  expect(asked).toHaveLength(5);
  await agent.invoke({ messages: "Once more." }, thread);
  expect(asked).toHaveLength(name === "Ollama without the model" ? 10 : 5);
});

it("a server is not asked for the window of a short prompt, or of a model with a profile or an option", async () => {
  const asked: IncomingMessage[] = [];
  const replies = ["Short.", call, "Profile.", call, "Option."];
  await using server = await startOpenAIServer(replies, { asked });
  await createAgent({ model: modelAt(server.url) }).invoke({ messages: "x ".repeat(14_000) });
  await createAgent({ model: modelAt(server.url, { model: "gpt-4o" }), tools: [read] }).invoke({ messages: "Read." });
  const modelCalls = { contextTokens: 20_000 };
  await createAgent({ model: modelAt(server.url), tools: [read], modelCalls }).invoke({ messages: "Read." });
  const sent = server.requests.map(({ body }) => JSON.stringify(body).length / 4);
  expect(asked).toEqual([]);
  expect(sent[2]).toBeGreaterThan(40_000);
  expect(sent[4]).toBeGreaterThan(12_000);
});

it("the window of a provider is known without asking, and that of a class without an address by nobody", async () => {
  expect(await windowOf(new ChatOpenAI({ model: "gpt-9", apiKey: "key" }))).toBe(128_000);
  expect(await windowOf(modelAt("https://api.deepseek.com/v1"))).toBe(131_072);
  expect(await windowOf(new FakeListChatModel({ responses: [] }))).toBeUndefined();
  expect(await windowOf(Object.assign(modelAt("http://127.0.0.1:1"), { numCtx: 2_048 }))).toBe(2_048);
});
