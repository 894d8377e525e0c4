import { DynamicTool, tool } from "@langchain/core/tools";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { type AgentOptions, createAgent, InvalidOptionError } from "../../src/index.js";
import { loadModel } from "../../src/model/models.js";
import { scriptedModel } from "../../src/testing/index.js";
import { type OpenAIServer, startOpenAIServer } from "../helpers/openai-server.js";

const look = new DynamicTool({ name: "look", description: "Looks something up.", func: async () => "found" });
const move = tool(() => "moved", {
  name: "move",
  description: "Moves.",
  schema: z.object({ x: z.number(), way: z.object({ up: z.boolean() }) }),
});
const paint = tool(() => "painted", {
  name: "paint",
  description: "Paints.",
  schema: z.object({ colour: z.string(), coats: z.number().optional() }),
});

let server: OpenAIServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function bodyOf(reply: string, options: Omit<AgentOptions, "model">) {
  server = await startOpenAIServer([reply]);
  const model = await loadModel("openai:test-model", { baseUrl: server.url, apiKey: "key" });
  const state = await createAgent({ model, tools: [look, move, paint], ...options }).invoke({ messages: "Go?" });
  expect(state).toMatchObject({ answer: "Gone.", stopReason: "answered" });
  return server.requests[0]?.body;
}

const reactAnswer = " Done.\nFinal Answer: Gone.";

describe("an agent whose model decodes under a grammar", () => {
  it("sends llama.cpp a GBNF grammar of the protocol and the tools", async () => {
    const body = await bodyOf(reactAnswer, { modelCalls: { constrainedDecoding: "llama.cpp" } });
    const uses = String.raw`"look\nAction Input: " line | "move\nAction Input: " object | "paint\nAction Input: " object`;
    expect(String(body?.grammar).split("\n").slice(0, 3)).toEqual([
      String.raw`root ::= (" " line "\n" "Action: " (${uses})) | (" " line "\n" "Final Answer: " text)`,
      String.raw`line ::= [^\n]+`,
      String.raw`text ::= [^\n]+ ("\n" [^\n]*)*`,
    ]);
    expect(body?.tools).toBeUndefined();
  });

  it("sends vLLM the same grammar in its own field", async () => {
    const body = await bodyOf(reactAnswer, { modelCalls: { constrainedDecoding: "vllm" }, protocol: "react" });
    expect(body?.structured_outputs).toEqual({ grammar: expect.stringContaining('"Final Answer: " text') });
  });

  it("sends OpenAI a JSON schema for structured chat, in which tools with optional parameters take text", async () => {
    const body = await bodyOf('{"action": "Final Answer", "action_input": "Gone."}', {
      modelCalls: { constrainedDecoding: "openai" },
    });
    expect(body?.response_format).toMatchObject({
      type: "json_schema",
      json_schema: {
        strict: true,
        schema: {
          properties: {
            action: { enum: ["look", "move", "paint", "Final Answer"] },
            action_input: {
              anyOf: [
                { type: "string" },
                { type: "object", additionalProperties: false, properties: { way: { additionalProperties: false } } },
              ],
            },
          },
          required: ["action", "action_input"],
          additionalProperties: false,
        },
      },
    });
  });

  it("sends no grammar with other requests, such as a rephrased question", async () => {
    server = await startOpenAIServer(["What stands alone?", reactAnswer]);
    const model = await loadModel("openai:test-model", { baseUrl: server.url, apiKey: "key" });
    const agent = createAgent({ model, tools: [look], modelCalls: { constrainedDecoding: "llama.cpp" } });
    await agent.invoke({
      messages: [
        ["human", "First?"],
        ["ai", "Yes."],
        ["human", "And then?"],
      ],
    });
    expect(server.requests.map(({ body }) => "grammar" in body)).toEqual([false, true]);
  });

  it("refuses a grammar that the server does not support, and a protocol or a model without a grammar", async () => {
    const model = scriptedModel(["never"]);
    const make = (options: Partial<AgentOptions>) => () => createAgent({ model, tools: [look], ...options });
    expect(make({ modelCalls: { constrainedDecoding: "openai" }, protocol: "react" })).toThrow(
      /JSON schema only.*"structured-chat"/,
    );
    expect(make({ modelCalls: { constrainedDecoding: "vllm" }, protocol: "tool-calling" })).toThrow(
      /"tool-calling" has no grammar/,
    );
    const agent = make({ modelCalls: { constrainedDecoding: "vllm" } })();
    await expect(agent.invoke({ messages: "Go?" })).rejects.toThrow(InvalidOptionError);
  });
});
