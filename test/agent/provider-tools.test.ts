import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import picocolors from "picocolors";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { conversation } from "../../src/cli/screen/conversation.js";
import { StepLines } from "../../src/cli/screen/step-lines.js";
import {
  type AgentOptions,
  approvalRequests,
  createAgent,
  InvalidOptionError,
  type Middleware,
  promptsOf,
  streamTurn,
} from "../../src/index.js";
import { providerSteps } from "../../src/provider-forms/provider-steps.js";
import { scriptedModel, transcript } from "../../src/testing/index.js";
import { refuse, startProvider } from "../helpers/providers/provider-server.js";
import { type ResponsesReply, responses, spoken } from "../helpers/providers/responses.js";
import { RecordingModel } from "../helpers/recording-model.js";
import { allOf } from "../helpers/turn-events.js";
import { mailer } from "./tainted.js";

const thread = { configurable: { thread_id: "t" } };
const search = { type: "web_search_20250305", name: "web_search" };
const look = tool(async () => "5", { name: "look", description: "Looks.", schema: z.object({ q: z.string() }) });
const none = { apiKey: "key", maxRetries: 0 };

const searching = { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "x" } };
const page = { type: "web_search_result", title: "A page", url: "https://example.org/" };
const found = { type: "web_search_tool_result", tool_use_id: "s1", content: [page] };
const searched = [searching, found];
const words = (text: string) => ({ type: "text", text });

describe("a tool of the provider is refused", () => {
  const model = scriptedModel([]);
  const mine = tool(async () => "5", { name: "web_search", description: "Mine.", schema: z.object({}) });

  it.each<[string, Partial<AgentOptions>, RegExp]>([
    ["in a text protocol", { tools: [search], protocol: "react" }, /"web_search" of the provider needs the protocol/],
    ["under a grammar", { tools: [search], modelCalls: { constrainedDecoding: "vllm" } }, /"tool-calling" or "auto"/],
    ["where a person decides about each call", { tools: [search], approve: "always" }, /^approve: .*nobody is asked/],
    ["with the name of another tool", { tools: [search, mine] }, /"web_search" is the name of .* rename/],
    ["if the program runs it", { tools: [{ type: "bash_20250124", name: "bash" }] }, /your program runs/],
    ["if it is none", { tools: [{ name: "f", input_schema: {} }] }, /tools\[0\].*a tool of the provider, such as/],
  ])("%s", (_name, options, why) => {
    expect(() => createAgent({ model, ...options })).toThrow(InvalidOptionError);
    expect(() => createAgent({ model, ...options })).toThrow(why);
  });

  it("in a run whose options do not allow it, and by a model without native tools", async () => {
    const agent = createAgent({ model, tools: () => [search], approve: "always" });
    await expect(agent.invoke({ messages: "Go." })).rejects.toThrow(/nobody is asked/);
    const text = createAgent({ model: Object.assign(scriptedModel([]), { bindTools: undefined }), tools: [search] });
    await expect(text.invoke({ messages: "Go." })).rejects.toThrow(/no native tool calls/);
  });
});

/** Makes an agent of replies with blocks, with a tool that has effects. */
function sending(replies: ConstructorParameters<typeof RecordingModel>[0], options: Partial<AgentOptions> = {}) {
  const checkpointer = new MemorySaver();
  return createAgent({
    model: new RecordingModel(replies),
    tools: [mailer().send, search],
    checkpointer,
    modelCalls: { maxRetries: 0 },
    ...options,
  });
}

const sends = { name: "send", args: {}, id: "c1" };
const sendUse = { type: "tool_use", id: "c1", name: "send", input: {} };

/** A middleware that puts other words in the place of those of a reply. */
const says = (content: string): Middleware => ({
  name: "says",
  wrapModelCall: async (request, handler) => {
    const { id, tool_calls } = await handler(request);
    return new AIMessage({ id, content, tool_calls });
  },
});

describe("the result of a provider's tool is text from outside for taint", () => {
  const taint = "approve";

  it.each<[string, ConstructorParameters<typeof RecordingModel>[0], Partial<AgentOptions>]>([
    ["in the reply with the effect", [{ content: [...searched, sendUse], tool_calls: [sends] }], {}],
    [
      "in a reply that a middleware changed",
      [{ content: [...searched, words("Hm.")], tool_calls: [sends] }],
      { middleware: [says("Well.")] },
    ],
    ["in a reply that was not followed", [{ content: searched }, { content: [sendUse], tool_calls: [sends] }], {}],
  ])("%s", async (_name, replies, options) => {
    const stopped = await sending(replies, { taint, ...options }).invoke({ messages: "Go." }, thread);
    expect(approvalRequests(stopped)).toMatchObject([{ tool: "send", why: expect.stringContaining("of web_search") }]);
  });

  it.each<[string, Partial<AgentOptions>]>([
    ["as it came", {}],
    ["changed by a middleware", { middleware: [says("It said: send.")] }],
  ])("in a later turn, its answer %s", async (_name, options) => {
    const replies = [{ content: [...searched, words("It says: send.")] }, { content: [sendUse], tool_calls: [sends] }];
    const agent = sending(replies, { taint, ...options });
    const { messages } = await agent.invoke({ messages: "What does it say?" }, thread);
    expect(messages.filter(AIMessage.isInstance).flatMap((said) => providerSteps(said, ""))).toHaveLength(2);
    expect(approvalRequests(await agent.invoke({ messages: "Do so." }, thread))).toHaveLength(1);
  });

  it("and without taint nobody is asked", async () => {
    const agent = sending([{ content: [sendUse], tool_calls: [sends] }, { content: "Sent." }], { taint });
    expect(await agent.invoke({ messages: "Go." }, thread)).toMatchObject({ answer: "Sent." });
  });
});

it("the calls of a provider's tool are shown in the lines of steps, of a kept thread and of a transcript", async () => {
  const agent = sending([
    { content: [...searched, sendUse], tool_calls: [sends] },
    { content: [{ ...searching, id: "s2" }, { ...found, tool_use_id: "s2" }, words("It is 5.")] },
  ]);
  const steps = new StepLines(picocolors.createColors(false));
  const shown: string[] = [];
  for (const event of await allOf(streamTurn(agent, { messages: "Go." }, thread))) shown.push(steps.of(event));
  const { values } = await agent.getState(thread);
  const kept = conversation(values.messages).flatMap((event) =>
    event.type === "question" || event.type === "answer" ? [] : steps.of(event),
  );
  const lines = [
    "Action (provider): web_search",
    'Action Input: {"query":"x"}',
    "Observation: A page https://example.org/",
  ];
  const both = [...lines, "Action: send", "Action Input: {}", "Observation: 1", ...lines];
  for (const told of [shown.join(""), kept.join(""), transcript(values)]) {
    expect(told.split("\n").filter((line) => /^(?:Action|Observation)/.test(line))).toEqual(both);
  }
  expect(values.usage.turn.toolCalls).toBe(3);
});

it("a secret in the result of a provider's tool is not shown", async () => {
  const key = "sk-0123456789abcdefghij";
  const secret = { ...found, content: [{ ...page, title: `The key ${key}` }] };
  const replies = [{ content: [searching, secret, words("It is 5.")] }];
  const model = Object.assign(new RecordingModel(replies), { apiKey: key });
  const agent = createAgent({ model, tools: [search], checkpointer: new MemorySaver() });
  const events = await allOf(streamTurn(agent, { messages: "Go." }, thread));
  expect(events).toContainEqual(expect.objectContaining({ type: "observation", by: "provider" }));
  expect(JSON.stringify([events, (await agent.getState(thread)).values])).not.toContain(key);
});

it.each<[string, (typeof look | typeof search)[], string | undefined]>([
  ["keeps its tools and may call none", [look, search], "none"],
  ["keeps those of the provider, which alone take no such choice", [search], undefined],
])("the last reply of a turn %s", async (_name, tools, choice) => {
  const model = scriptedModel(["", "It is 5."]);
  const agent = createAgent({ model, tools, limits: { stopWhen: ({ state }) => state.intermediateSteps.length > 0 } });
  expect(await agent.invoke({ messages: "Go." })).toMatchObject({ answer: "It is 5.", stopReason: "stop-condition" });
  const bound = tools.map((given) => (given === look ? expect.objectContaining({ name: "look" }) : given));
  expect(model.calls.map(({ tools }) => tools)).toEqual([bound, bound]);
  expect(model.calls[1]?.options.tool_choice).toBe(choice);
});

describe("over HTTP", () => {
  const item = { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "x" } };
  const webSearch = { type: "web_search" };
  const model = (url: string) => new ChatOpenAI({ ...none, model: "gpt-5", configuration: { baseURL: `${url}/v1` } });

  /** An agent of a server that gives one reply. */
  async function agentOver(output: ResponsesReply["output"], tools: AgentOptions["tools"]) {
    const server = await startProvider(responses, [{ id: "resp_1", output }]);
    onTestFinished(() => server[Symbol.asyncDispose]());
    const agent = createAgent({ model: model(server.url), tools, checkpointer: new MemorySaver() });
    return { server, agent };
  }

  it("a search of the provider has an event before the answer, and the next prompt names the search", async () => {
    const { agent } = await agentOver([item, spoken("1", "It is 5.")], [look, webSearch]);
    const events = await allOf(streamTurn(agent, { messages: "Go." }, thread, { prompts: true }));
    const types = events.map(({ type }) => type);
    const told = types.indexOf("action");
    expect(types[told + 1]).toBe("observation");
    expect(types.findIndex((type) => type.endsWith("-delta"))).toBeGreaterThan(told + 1);
    expect(events.find(({ type }) => type === "prompt")).toMatchObject({ tools: ["look", "web_search"] });
    for await (const prompt of promptsOf(agent, "t")) {
      expect(prompt).toMatchObject({ exact: true, tools: [{ name: "look" }, { name: "web_search" }] });
    }
  });

  it("the definition of a tool of the provider, which may hold a key, is not in the thread", async () => {
    const headers = { Authorization: "Bearer of-the-server" };
    const mcp = { type: "mcp", server_label: "bank", server_url: "https://example.org/", headers };
    const { server, agent } = await agentOver([spoken("1", "5.")], [mcp]);
    await agent.invoke({ messages: "Go." }, thread);
    expect(server.requests[0]?.tools).toEqual([mcp]);
    expect(JSON.stringify((await agent.getState(thread)).values)).not.toContain("of-the-server");
  });

  it("if a server refuses tools, an agent with a provider's tool asks the next model, not in text", async () => {
    const refusing = { ...responses, check: () => refuse("This model does not support tools.") };
    await using server = await startProvider(refusing, []);
    const alone = createAgent({ model: model(server.url), tools: [look, webSearch] });
    await expect(alone.invoke({ messages: "Go." })).rejects.toThrow(/does not support tools/);
    expect(server.requests).toHaveLength(1);
    const other = new RecordingModel([{ content: [...searched, words("It is 5.")] }]);
    const both = createAgent({ model: [model(server.url), other], tools: [look, webSearch] });
    const events = await allOf(streamTurn(both, { messages: "Go." }));
    expect(events.map(({ type }) => type)).toContain("model-fallback");
    expect(events.map(({ type }) => type)).not.toContain("protocol-fallback");
    expect(events.find(({ type }) => type === "answer")).toMatchObject({ text: "It is 5." });
  });
});
