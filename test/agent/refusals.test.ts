import { HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { type AgentOptions, createAgent, streamTurn } from "../../src/index.js";
import { modelAt, type ServerReply, type ServerRequest, startOpenAIServer } from "../helpers/openai-server.js";
import { textTool } from "../helpers/tools.js";
import { allOf } from "../helpers/turn-events.js";

type Body = ServerRequest["body"];

/** Starts a server that refuses a part of requests, as long as `refuses` is true. `had` tells which new requests had it. */
async function refusing(hasPart: (body: Body) => boolean, message: string, answer: (body: Body) => ServerReply) {
  const state = { refuses: true };
  const seen: boolean[] = [];
  const server = await startOpenAIServer(({ body }) => {
    seen.push(hasPart(body));
    return state.refuses && hasPart(body) ? { status: 400, message } : answer(body);
  });
  onTestFinished(() => server.close());
  return { url: server.url, state, had: () => seen.splice(0) };
}

afterEach(() => vi.useRealTimers());

const look = textTool("look", () => "Seen.");
const picture = { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" };
const hasTools = ({ tools }: Body) => tools !== undefined;
const inText = ({ tools }: Body) => (tools ? "Native." : " I know.\nFinal Answer: Text.");

const parts: readonly (readonly [
  part: string,
  words: string,
  hasPart: (body: Body) => boolean,
  options: Omit<AgentOptions, "model">,
  answer: (body: Body) => ServerReply,
])[] = [
  ["tools", "m does not support tools", hasTools, { tools: [look] }, inText],
  [
    "image",
    "m does not support image input.",
    ({ messages }) => JSON.stringify(messages).includes('"image_url"'),
    {},
    () => "A cat.",
  ],
  [
    "response-format",
    "'response_format.type' must be 'text'",
    (body) => Reflect.has(body, "response_format"),
    { output: z.object({ a: z.number() }) },
    (body) => (hasTools(body) ? { toolCalls: [{ name: "final_answer", args: { a: 1 } }] } : '{"a":1}'),
  ],
];

it.each(parts)(
  "a refusal of %s is told, and holds for an agent, its model and its server, for an hour",
  async (part, words, hasPart, options, answer) => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-02-01T00:00:00Z") });
    const { url, had } = await refusing(hasPart, words, answer);
    const model = modelAt(url, { model: "gpt-4o-mini" });
    const made = () => createAgent({ ...options, model, rephrase: false });
    const agent = made();
    const ask = (asked = agent) => allOf(streamTurn(asked, { messages: [new HumanMessage({ content: [picture] })] }));
    const told = (await ask()).filter(({ type }) => type === "refusal");
    expect(told).toMatchObject([{ part, model: "gpt-4o-mini", why: expect.stringContaining(words) }]);
    expect(had()).toEqual([true, false]);
    vi.setSystemTime("2026-02-01T00:59:59Z");
    await ask();
    expect(had()).toEqual([false]);
    await ask(made());
    expect(had()).toEqual([true, false]);
    vi.setSystemTime("2026-02-01T01:00:00Z");
    await ask();
    expect(had()).toEqual([true, false]);
  },
);

it("a turn under way keeps its protocol, whatever other turns learn", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-02-01T00:00:00Z") });
  const steps = { native: 0, text: 0 };
  const call = { toolCalls: [{ name: "look", args: { text: "native" } }] };
  const { url, state, had } = await refusing(hasTools, "m does not support tools", (body) => {
    const way = hasTools(body) ? "native" : "text";
    const isFirst = JSON.stringify(body.messages).includes("Look") && steps[way]++ === 0;
    if (!isFirst) return inText(body);
    return way === "native" ? call : ' I look.\nAction: look\nAction Input: {"text": "text"}';
  });
  state.refuses = false;
  const looking = textTool("look", async (way) => {
    state.refuses = way === "native";
    if (way === "native") await agent.invoke({ messages: "Hi." }, { configurable: { thread_id: "2" } });
    else vi.setSystemTime("2026-02-01T02:00:00Z");
    state.refuses = false;
    return "Seen.";
  });
  const agent = createAgent({ model: modelAt(url), tools: [looking], checkpointer: new MemorySaver() });
  const ask = (thread_id: string) => agent.invoke({ messages: "Look." }, { configurable: { thread_id } });
  expect((await ask("1")).answer).toBe("Native.");
  expect(had()).toEqual([true, true, false, true]);
  expect((await ask("3")).answer).toBe("Text.");
  expect(had()).toEqual([false, false]);
});

it.each([
  [400, "Invalid schema for function 'look': In context=(), object schema missing properties."],
  [400, "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."],
  [500, "Internal error: tool parser worker restarted, try again."],
])("a refusal of something else is the error: %i %s", async (status, message) => {
  await using server = await startOpenAIServer([{ status, message }]);
  const asked = createAgent({ model: modelAt(server.url), tools: [look] }).invoke({ messages: "Look." });
  await expect(asked).rejects.toMatchObject({ status, refuses: [], message: expect.stringContaining(message) });
  expect(server.requests).toHaveLength(1);
});
