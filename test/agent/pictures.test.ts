import { HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Agent, createAgent, edit, promptsOf, streamTurn, type TurnEvent } from "../../src/index.js";
import type { ProtocolName } from "../../src/protocols/index.js";
import { type ServerReply, startOpenAIServer } from "../helpers/openai-server.js";
import { allOf } from "../helpers/turn-events.js";
import { dialects, inReact, inToolCalls } from "../matrix/dialects.js";
import { matrix } from "../matrix/matrix.js";

const data = "iVBORw0KGgo=";
const picture = { type: "image", mimeType: "image/png", data, metadata: { name: "cat.png" } };
const sent = { type: "image_url", image_url: { url: `data:image/png;base64,${data}` } };
const named = "[an image, cat.png, image/png, 8 bytes]";
const words = { type: "text", text: "What is it?" };
const asked = `What is it?\n${named}`;
const thread = { configurable: { thread_id: "t" } };
const refusal = { status: 400, message: "This model does not support image input." };

async function agentWith(
  script: readonly ServerReply[],
  { protocol = "tool-calling", model = "a-local-model" }: { protocol?: ProtocolName; model?: string } = {},
) {
  const server = await startOpenAIServer(script);
  onTestFinished(() => server.close());
  const chat = new ChatOpenAI({ model, apiKey: "key", configuration: { baseURL: server.url }, maxRetries: 0 });
  const checkpointer = new MemorySaver();
  const agent = createAgent({ model: chat, tools: [], protocol, checkpointer, rephrase: false });
  const events: TurnEvent[] = [];
  const ask = async (content: HumanMessage["content"]) => {
    events.push(...(await allOf(streamTurn(agent, { messages: [new HumanMessage({ content })] }, thread))));
    return (await agent.getState(thread)).values;
  };
  const blocksSent = () => server.requests.map(({ body }) => body.messages.flatMap(blocksOf));
  return { agent, ask, blocksSent, events };
}

function blocksOf({ content }: { content?: unknown }): unknown[] {
  return Array.isArray(content) ? content.filter((block) => block.type !== "text") : [];
}

const textsOf = (events: readonly TurnEvent[]) =>
  events.flatMap((event) => (event.type === "files-named" ? [event.why] : []));

async function exactness(agent: Agent) {
  const exact: boolean[] = [];
  for await (const prompt of promptsOf(agent, "t")) exact.push(prompt.exact);
  return exact;
}

describe.each(matrix(dialects, inReact, inToolCalls))("a picture in a question under $protocol", (dialect) => {
  const { protocol } = dialect;
  const reply = (text: string) => String(dialect.answer(text));

  it("is shown to a model without a profile, and again in the next turn", async () => {
    const { agent, ask, blocksSent } = await agentWith([reply("A cat."), reply("Grey.")], { protocol });
    const state = await ask([words, picture]);
    expect(state.answer).toBe("A cat.");
    expect(state.messages[0].content).toEqual([words, picture]);
    expect(state.turn.asked).toBe(asked);
    const next = await ask("Which colour?");
    expect(next.chatHistory.turns).toMatchObject([{ id: state.messages[0].id, question: asked }]);
    expect(blocksSent()).toEqual([[sent], [sent]]);
    expect(await exactness(agent)).toEqual([true, true]);
    expect(JSON.stringify({ ...next, messages: [] })).not.toContain(data);
  });

  it("is described in words if the server refuses pictures, and the turn goes on", async () => {
    const { agent, ask, blocksSent, events } = await agentWith([refusal, reply("I cannot see."), reply("Ok.")], {
      protocol,
    });
    expect((await ask([words, picture])).answer).toBe("I cannot see.");
    await ask("Really?");
    expect(blocksSent()).toEqual([[sent], [], []]);
    expect(textsOf(events)).toEqual([expect.stringContaining("does not support image input")]);
    expect(await exactness(agent)).toEqual([true, true]);
  });
});

it("a picture is described in words for a model whose profile has no pictures", async () => {
  const { ask, blocksSent, events } = await agentWith(["I cannot see."], { model: "gpt-3.5-turbo" });
  await ask([words, picture]);
  expect(blocksSent()).toEqual([[]]);
  expect(textsOf(events)).toEqual(["gpt-3.5-turbo takes no image in a question."]);
});

it("a picture alone is a question", async () => {
  const { ask } = await agentWith(["A cat."]);
  expect((await ask([picture])).turn.asked).toBe(named);
});

it("a picture stays with its question when the words are edited", async () => {
  const { agent, ask, blocksSent } = await agentWith(["A cat.", "Grey."]);
  await ask([words, picture]);
  const { messages } = await edit(agent, "t", "Which colour?");
  expect(messages[0]?.content).toEqual([{ type: "text", text: "Which colour?" }, picture]);
  expect(blocksSent()[1]).toEqual([sent]);
});

it.each([
  ["bytes", { ...picture, data: Uint8Array.from(Buffer.from(data, "base64")) }, picture],
  ["an address", { type: "image", url: "https://a.org/b.png" }, { type: "image", url: "https://a.org/b.png" }],
  ["the form of OpenAI", sent, sent],
])("a picture may be given as %s", async (_, given, kept) => {
  const { ask, blocksSent } = await agentWith(["A cat."]);
  const block: HumanMessage["content"] = [words, JSON.parse("{}") && given];
  expect((await ask(block)).messages[0].content).toEqual([words, kept]);
  expect(blocksSent()[0]).toHaveLength(1);
});

const large = "A".repeat(28_000_000);
it.each([
  ["without a file", [{ type: "image" }], 'block of type "image" in the question has no file: give its data, '],
  ["that is not base64", [{ ...picture, data: "ä" }], "is not base64"],
  ["that is too large", [{ ...picture, data: large }], "of the question has 21.0 MB; at most 20.0 MB"],
  [
    "with others too large together",
    Array(3).fill({ ...picture, data: large.slice(0, 16_000_000) }),
    "have 36.0 MB; at",
  ],
  ["of another type", [{ type: "tool_use", id: "1" }], 'block of type "tool_use"; it may hold text, images, audio, '],
])("a block %s is refused before the thread changes", async (_, content, why) => {
  const { agent, ask } = await agentWith([]);
  await expect(ask(content)).rejects.toThrow(why);
  expect((await agent.getState(thread)).values).toEqual({});
});
