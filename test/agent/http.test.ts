import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { type AgentOptions, calculator, createAgent, ModelError, streamTurn } from "../../src/index.js";
import { loadModel } from "../../src/model/models.js";
import { type OpenAIServer, type ServerReply, startOpenAIServer } from "../helpers/openai-server.js";
import { allOf } from "../helpers/turn-events.js";

const search = tool(
  async () => "Newcastle Temperature Yesterday. Maximum temperature 56 °F Minimum temperature 46 °F",
  {
    name: "search",
    description: "a search engine. input should be a search query.",
    schema: z.object({ query: z.string() }),
  },
);
const lookUp = ' This requires looking up.\nAction: search\nAction Input: "Newcastle (England) temperature yesterday"';
const thread = { configurable: { thread_id: "1" } };

let server: OpenAIServer;
afterEach(() => server.close());

async function agentOver(script: readonly ServerReply[], options: AgentOptions["modelCalls"] = {}, applyStop = true) {
  server = await startOpenAIServer(script, { applyStop });
  const model = await loadModel("openai:test-model", { baseUrl: server.url, apiKey: "key", maxRetries: 1 });
  const tools = [search, calculator()];
  return createAgent({ model, protocol: "react", tools, modelCalls: options, checkpointer: new MemorySaver() });
}

describe("an agent over a server that speaks the OpenAI API", () => {
  it("sends the stop sequence and a scratchpad that only grows", async () => {
    const agent = await agentOver([
      lookUp,
      " Now in Celsius.\nAction: calculator\nAction Input: (56-32)*5/9",
      " I now know the final answer\nFinal Answer: It was 56 °F or 13.3 °C.",
    ]);
    const state = await agent.invoke({ messages: "What was the temperature in Newcastle yesterday?" }, thread);
    expect(state.answer).toBe("It was 56 °F or 13.3 °C.");
    expect(server.requests.map((request) => request.body.stop)).toEqual(Array(3).fill(["\nObservation:"]));
    const [first = "", second = "", third = ""] = server.prompts();
    expect(first).toMatch(/Question: What was the temperature in Newcastle yesterday\?\nThought:$/);
    expect(second.startsWith(first) && third.startsWith(second)).toBe(true);
    expect(second.slice(first.length)).toMatch(
      /Action Input: .*\nObservation: Newcastle Temperature Yesterday.*\nThought:$/s,
    );
    expect(third.slice(second.length)).toContain("Observation: 13.333333333333");
    const spent = { modelCalls: 3, inputTokens: 30, outputTokens: 15 };
    expect(state.usage.turn).toEqual({ ...spent, toolCalls: 2, models: { "test-model": spent } });
  });

  it.each(["Observation", "观察"])(
    "stops a model that ignores its stop sequence at the first invented %s",
    async (label) => {
      const more = "Thought: and so on ".repeat(500);
      const invented = `${lookUp}\n${label}: 99 °F everywhere\nThought: I now know the final answer\nFinal Answer: 99 °F.`;
      const agent = await agentOver([invented + more, " Done.\nFinal Answer: 56 °F."], {}, false);
      const events = await allOf(streamTurn(agent, { messages: "How warm?" }, thread));
      const { values } = await agent.getState(thread);
      expect(values.answer).toBe("56 °F.");
      expect(JSON.stringify([values, events])).not.toContain("99 °F");
      expect(server.prompts()[1]).not.toContain("99 °F");
    },
  );

  it.each<[string, ServerReply, number, RegExp]>([
    ["a wrong key, at once", 401, 1, /refused the API key \(401\)/],
    ["too many requests, after its retries", 429, 2, /gets too many requests \(429\)/],
    ["a stream that is cut, after its retries", { text: "one two three four", cutAfterPieces: 2 }, 2, /broke off/],
  ])(
    "reports %s, and the turn can be resumed when the server works again",
    async (_case, failure, requests, message) => {
      const agent = await agentOver([...Array(requests).fill(failure), "\nFinal Answer: 4"]);
      const failed = agent.invoke({ messages: "What is 2 + 2?" }, thread);
      await expect(failed).rejects.toThrow(ModelError);
      await expect(failed).rejects.toThrow(message);
      expect(server.requests).toHaveLength(requests);
      const state = await agent.invoke(null, thread);
      expect(state).toMatchObject({ answer: "4", turn: { number: 1 } });
    },
  );

  it("waits for a server that hangs only as long as the options say", async () => {
    const agent = await agentOver([{ hang: true }], { timeouts: { firstTokenMs: 100 }, maxRetries: 0 });
    await expect(agent.invoke({ messages: "What is 2 + 2?" }, thread)).rejects.toThrow(/sent nothing within 0\.1 s/);
  });

  it("treats a reply without a choice as unparseable, and corrects it", async () => {
    const agent = await agentOver([{ noChoices: true }, "\nFinal Answer: 4"]);
    const state = await agent.invoke({ messages: "What is 2 + 2?" }, thread);
    expect(state).toMatchObject({ answer: "4", intermediateSteps: [{ decision: { kind: "unparseable" } }] });
  });

  it("parses a tool call that the server could not parse, and keeps native tools", async () => {
    const slip = {
      status: 400,
      code: "tool_use_failed",
      message: "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
    };
    server = await startOpenAIServer([
      { ...slip, failedGeneration: '<function=search{"query": "Newcastle"}</function>' },
      { ...slip, failedGeneration: "<function=" },
      { text: "It was 56 °F." },
    ]);
    const model = await loadModel("openai:llama-3.3-70b-versatile", { baseUrl: server.url, apiKey: "key" });
    const state = await createAgent({ model, tools: [search] }).invoke({ messages: "How warm was it?" });
    expect(state.answer).toBe("It was 56 °F.");
    expect(state.intermediateSteps.map(({ decision }) => decision)).toMatchObject([
      { kind: "action", actions: [{ tool: "search", toolInput: { query: "Newcastle" } }] },
      { kind: "unparseable" },
    ]);
    expect(server.requests.map(({ body }) => body.tools?.length)).toEqual([1, 1, 1]);
    expect(state.usage.turn.modelCalls).toBe(3);
  });

  it("says so when no server listens", async () => {
    const agent = await agentOver([], { maxRetries: 0 });
    await server.close();
    await expect(agent.invoke({ messages: "Hello?" }, thread)).rejects.toThrow(
      /cannot be reached: nothing listens there/,
    );
  });
});
