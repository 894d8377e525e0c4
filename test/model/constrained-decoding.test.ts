import { DynamicTool, tool } from "@langchain/core/tools";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { type AgentOptions, createAgent, InvalidOptionError, react } from "../../src/index.js";
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
    expect(body?.grammar).toMatch(
      /^root ::= \(" " line "\\n" "Action: " \("look\\nAction Input: " line \| "move\\nAction Input: " object/,
    );
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

const token = /"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|[a-z]+|[()|*+?]|\{\d+\}/g;
const nested = new Set(["object", "member", "array", "value"]);

/** Whether a text is in the language of a grammar; anything is taken for nested JSON. */
function matches(grammar: string, text: string): boolean {
  const rules = new Map(
    grammar.split("\n").map((line) => [line.slice(0, line.indexOf(" ")), line.split("::= ")[1] ?? ""]),
  );
  const pattern = (name: string): string =>
    nested.has(name)
      ? "[^]+"
      : [...(rules.get(name) ?? "").matchAll(token)].map(([part]) => partPattern(part)).join("");
  const partPattern = (part: string): string => {
    if (part.startsWith('"')) return `(?:${JSON.parse(part).replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")})`;
    return /^[a-z]/.test(part) ? `(?:${pattern(part)})` : part.replace(/^\($/, "(?:");
  };
  return new RegExp(`^(?:${pattern("root")})$`).test(text);
}

describe("react's grammar", () => {
  const grammar = react().grammar?.([look, move].map(({ name, description }) => ({ name, description })));
  const gbnf = grammar?.kind === "gbnf" ? grammar.gbnf : "";

  it.each([" I look.\nAction: look\nAction Input: the sky", " I know.\nFinal Answer: Blue.\nReally."])(
    "allows %j",
    (reply) => {
      expect(matches(gbnf, reply)).toBe(true);
      expect(react().parse(reply, ["look", "move"]).kind).not.toBe("unparseable");
    },
  );

  it.each([
    "I look.",
    " I look.\nAction: peek\nAction Input: the sky",
    " I look.\nAction: look",
    "\nFinal Answer: Blue.",
  ])("does not allow %j", (reply) => expect(matches(gbnf, reply)).toBe(false));
});
