import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { keepSecret } from "../../../../src/base/secrets/known-secrets.js";
import { type AgentOptions, approvalRequests, createAgent, decide } from "../../../../src/index.js";
import { scriptedModel } from "../../../../src/testing/index.js";
import { startOpenAIServer } from "../../../helpers/openai-server.js";

const thread = { configurable: { thread_id: "t" } };
const call = { tool_calls: [{ name: "look", args: {} }] };

const toolOf = (run: () => unknown) =>
  tool(async () => run(), { name: "look", description: "Looks.", schema: z.object({}) });

const failing = (key: string) =>
  toolOf(() => {
    throw new Error(`401: the key ${key} is wrong`);
  });

/** Stops a turn before its call, as another process would that knows no key. */
async function stopped(options: Pick<AgentOptions, "tools">) {
  const checkpointer = new MemorySaver();
  const settings = { ...options, checkpointer, approve: "always", protocol: "tool-calling" } as const;
  const agent = createAgent({ ...settings, model: scriptedModel([call]) });
  const [request] = approvalRequests(await agent.invoke({ messages: "Look." }, thread));
  return { settings, yes: decide({ [request?.id ?? ""]: "approve" }) };
}

describe("a key in the error of a tool", () => {
  it("is in no prompt and no state of a run that goes on in another process", async () => {
    await using server = await startOpenAIServer(["Done."]);
    const key = "key-that-only-the-tool-tells";
    const { settings, yes } = await stopped({ tools: [failing(key)] });
    const model = new ChatOpenAI({ model: "m", apiKey: key, maxRetries: 0, configuration: { baseURL: server.url } });
    const agent = createAgent({ ...settings, model });
    const state = await agent.invoke(yes, thread);
    expect(state.intermediateSteps[0]?.results[0]?.observation).toContain("the key [secret] is wrong");
    expect(state.answer).toBe("Done.");
    expect(JSON.stringify([state, server.requests.map(({ body }) => body)])).not.toContain(key);
  });

  it("loses no result if the model cannot be loaded", async () => {
    const look = vi.fn(() => "seen");
    const { settings, yes } = await stopped({ tools: [toolOf(look)] });
    const model = () => {
      throw new Error("there is no model now");
    };
    await expect(createAgent({ ...settings, model }).invoke(yes, thread)).rejects.toThrow("there is no model now");
    const agent = createAgent({ ...settings, model: scriptedModel(["Done."]) });
    const state = await agent.invoke(null, thread);
    expect([state.answer, state.intermediateSteps[0]?.results[0]?.observation]).toEqual(["Done.", "seen"]);
    expect(look).toHaveBeenCalledTimes(1);
  });
});

describe("a key in the messages of a tool's command", () => {
  const key = "key-in-a-message-of-a-command";

  it("is in no prompt and no state, and the rest of the messages stays", async () => {
    keepSecret(key);
    const said = [
      new HumanMessage({ id: "h", content: [{ type: "text", text: `It is ${key}.` }] }),
      new AIMessage({ id: "a", name: "other", content: "I know.", additional_kwargs: { key: [key] } }),
    ];
    const model = scriptedModel([call, "Done."]);
    const tools = [toolOf(() => new Command({ update: { messages: said } }))];
    const agent = createAgent({ model, tools, protocol: "tool-calling", checkpointer: new MemorySaver() });
    const { messages } = await agent.invoke({ messages: "Look." }, thread);
    const human = messages.find(({ id }) => id === "h");
    expect(human).toBeInstanceOf(HumanMessage);
    expect(human?.content).toEqual([{ type: "text", text: "It is [secret]." }]);
    const other = messages.find(({ id }) => id === "a");
    expect(other).toBeInstanceOf(AIMessage);
    expect(other).toMatchObject({ name: "other", content: "I know.", additional_kwargs: { key: ["[secret]"] } });
    expect(JSON.stringify([messages, model.calls, (await agent.getState(thread)).values])).not.toContain(key);
  });
});
