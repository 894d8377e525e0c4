import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { type AgentOptions, createAgent, promptsOf, streamTurn, type TurnEvent } from "../../src/index.js";
import { modelAt, type ServerReply, type ServerRequest, served, startOpenAIServer } from "../helpers/openai-server.js";
import { textTool } from "../helpers/tools.js";
import { dialects, inReact, inToolCalls } from "../matrix/dialects.js";
import { matrix } from "../matrix/matrix.js";

const thread = { configurable: { thread_id: "1" } };
const page = (n: number) => `page ${n}: ${"word ".repeat(800)}the end of page ${n}`;
const read = textTool("read", (text) => page(Number(text)));

function tokensIn({ body }: ServerRequest): number {
  return Math.ceil(JSON.stringify([body.messages, body.tools ?? []]).length / 4);
}

/** Starts a server that refuses prompts of more than `limit` tokens, in the words of a provider. */
async function serverWith(limit: number, replies: readonly ServerReply[], words: (sent: number) => string) {
  let answered = 0;
  return await startOpenAIServer((request) => {
    const sent = tokensIn(request);
    if (sent > limit) return { status: 400, message: words(sent) };
    const reply = replies[answered] ?? 500;
    answered += 1;
    return typeof reply === "object" && "text" in reply ? { ...reply, usage: { prompt: sent, completion: 5 } } : reply;
  });
}

const openai = (limit: number) => (sent: number) =>
  `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${sent} tokens.`;

async function run(url: string, options: Partial<AgentOptions>, messages = "Read all.", name = "m") {
  const model = modelAt(url, { model: name });
  const agent = createAgent({ tools: [read], rephrase: false, checkpointer: new MemorySaver(), ...options, model });
  const events: TurnEvent[] = [];
  for await (const event of streamTurn(agent, { messages }, thread)) events.push(event);
  return { agent, events, state: (await agent.getState(thread)).values };
}

describe.each(matrix(dialects, inReact, inToolCalls))(
  "a prompt that outgrows the model ($protocol)",
  ({ protocol, act, answer }) => {
    const script = [
      ...[1, 2, 3, 4].map((n) => act("read", protocol === "self-ask" ? String(n) : { text: String(n) })),
      answer("All read."),
    ];
    const replies = script.map(served);

    it("is shortened before it is sent, if the limit is known", async () => {
      await using server = await serverWith(3_000, replies, openai(3_000));
      const { state, events } = await run(server.url, { protocol, modelCalls: { contextTokens: 3_000 } });
      expect(state.answer).toBe("All read.");
      expect(server.requests).toHaveLength(5);
      expect(events.some(({ type }) => type === "shortened")).toBe(true);
      // The last step is shown whole, the oldest in its first words, and the thread keeps all.
      const last = JSON.stringify(server.requests.at(-1)?.body.messages);
      expect(last).toContain("the end of page 4");
      expect(last).toContain("page 1: word");
      expect(last).not.toContain("the end of page 1");
      const kept = state.intermediateSteps.map(
        ({ results }: { results: { observation: string }[] }) => results[0]?.observation,
      );
      expect(kept).toEqual([1, 2, 3, 4].map(page));
      expect(state.reply.shortened.observations).toContain(state.intermediateSteps[0].results[0].action.id);
    });

    it("is shortened when the server refuses it, then sent once more, and later prompts keep to the limit", async () => {
      await using server = await serverWith(3_000, replies, openai(3_000));
      const { state, events } = await run(server.url, { protocol });
      expect(state.answer).toBe("All read.");
      expect(server.requests).toHaveLength(6);
      const shortened = events.filter(({ type }) => type === "shortened");
      expect(shortened[0]).toMatchObject({ why: expect.stringContaining("maximum context length is 3000") });
    });
  },
);

const book = (text: string) => textTool("read", () => text);

it.each(matrix(dialects, inReact, inToolCalls))(
  "a result that is longer than the model's context is cut to what fits ($protocol)",
  async ({ protocol, act, answer }) => {
    const long = `BEGINNING${"word ".repeat(20_000)}END`;
    const replies = [act("read", protocol === "self-ask" ? "a" : { text: "a" }), answer("Read.")].map(served);
    await using server = await serverWith(3_000, replies, openai(3_000));
    const { agent, events, state } = await run(server.url, { protocol, tools: [book(long)] });
    expect(state.answer).toBe("Read.");
    const sent = JSON.stringify(server.requests.at(-1)?.body.messages);
    expect(sent).toMatch(/BEGINNING.*~\w{5}~\[\d+ of 100012 characters are left out here\.\]~\w{5}~.*END/);
    expect(sent.length).toBeGreaterThan(4_500);
    expect(state.intermediateSteps[0].results[0].observation).toBe(long);
    expect(events).toContainEqual(expect.objectContaining({ type: "shortened", observations: 1, turns: 0 }));
    for await (const { exact } of promptsOf(agent, "1")) expect(exact).toBe(true);
  },
);

describe("an old image", () => {
  const image = { type: "image", source_type: "base64", mime_type: "image/png", data: "iVBORw0KGgo=" };
  const look = textTool("look", (text) => [{ type: "text", text: `Picture ${text}:` }, image]);
  const usage = { prompt: 0, completion: 0 };
  const looks = [1, 2, 3, 4].map((n) => ({ toolCalls: [{ name: "look", args: { text: String(n) } }], usage }));
  const replies = [...looks, { text: "All seen.", usage }];

  const shownTo = (url: string, model: string, contextTokens: number) =>
    run(url, { tools: [look], modelCalls: { contextTokens } }, "Look.", model);

  it("is left out, and the words about it stay whole", async () => {
    await using server = await startOpenAIServer(replies);
    const { events, state } = await shownTo(server.url, "gpt-4o", 3_000);
    expect(state.answer).toBe("All seen.");
    expect(events.some(({ type }) => type === "shortened")).toBe(true);
    const sent = server.requests.at(-1)?.body.messages ?? [];
    const results = sent.filter(({ role }) => role === "tool").map(({ content }) => content);
    expect(results).toEqual([1, 2, 3, 4].map((n) => `Picture ${n}:\n[an image, image/png, 8 bytes]`));
    expect(JSON.stringify(sent).match(/"image_url":/g)).toHaveLength(2);
  });

  it("has no estimated tokens, and frees none, if the model does not see it", async () => {
    await using server = await startOpenAIServer(replies);
    const { events, state } = await shownTo(server.url, "gpt-3.5-turbo", 100);
    expect(state.answer).toBe("All seen.");
    expect(events.filter(({ type }) => type === "shortened")).toEqual([]);
  });
});

describe("earlier turns", () => {
  const talkAt = (url: string, options: Partial<AgentOptions>) =>
    createAgent({ model: modelAt(url), checkpointer: new MemorySaver(), ...options });

  it("are left out, the oldest first, when the steps alone do not make room", async () => {
    await using server = await serverWith(3_000, Array(4).fill("long".repeat(1_250)), openai(3_000));
    const agent = talkAt(server.url, { rephrase: false, modelCalls: { contextTokens: 3_000 } });
    for (const n of [1, 2, 3, 4]) await agent.invoke({ messages: `Question ${n}?` }, thread);
    const shown = JSON.stringify(server.requests.at(-1)?.body.messages);
    expect(shown).toContain("Question 3?");
    expect(shown).not.toContain("Question 1?");
    const { values } = await agent.getState(thread);
    expect(values.chatHistory.turns).toHaveLength(3);
    expect(values.reply.shortened.turns).toBeGreaterThan(0);
  });

  it("are left out of a prompt for rephrasing, too", async () => {
    await using server = await serverWith(2_000, ["long".repeat(2_500), "What is two?", "Two."], openai(2_000));
    const agent = talkAt(server.url, { rephrase: true });
    await agent.invoke({ messages: "Question one?" }, thread);
    const state = await agent.invoke({ messages: "And two?" }, thread);
    expect(state).toMatchObject({ question: "What is two?", answer: "Two." });
  });
});

it.each<[string, (sent: number) => string, number?]>([
  ["Anthropic", (sent: number) => `prompt is too long: ${sent} tokens > 3000 maximum`],
  [
    "llama.cpp",
    (sent: number) => `request (${sent} tokens) exceeds the available context size (3000 tokens), try increasing it`,
  ],
  ["Groq", () => "Please reduce the length of the messages. The context window is 3,000 tokens."],
  ["vLLM", (sent: number) => `The decoder prompt (length ${sent}) is longer than the maximum model length of 3000.`],
  ["vLLM's check of images", (sent: number) => `The prompt (total length ${sent}) is too long (context length 3000).`],
  ["xAI", (sent: number) => `This model's maximum prompt length is 3000 but the request contains ${sent} tokens.`],
  [
    "Mistral",
    (sent: number) => `Prompt contains ${sent} tokens, too large for model with 3000 maximum context length.`,
  ],
  [
    "Anthropic, for a prompt and its reply",
    (sent: number) =>
      `input length and \`max_tokens\` exceed context limit: ${sent} + 500 > 3000, decrease input length`,
    12_000,
  ],
  [
    "Anthropic, with room for a long reply",
    (sent: number) => `input length and \`max_tokens\` exceed context limit: ${sent} + 9000 > 12000, decrease input`,
  ],
  [
    "DeepSeek, with room for a long reply",
    (sent: number) =>
      `This model's maximum context length is 12000 tokens. However, you requested ${sent + 9_000} tokens (${sent} in the messages, 9000 in the completion).`,
  ],
  [
    "Cohere",
    (sent: number) =>
      `too many tokens: size limit exceeded by ${sent - 3_000} tokens. Use fewer. The limit for this model is 3000 tokens.`,
  ],
  ["Google", (sent: number) => `The input token count (${sent}) exceeds the maximum number of tokens allowed (3000).`],
  [
    "a server whose number is no limit",
    () => "Request 20260107: the context window is exceeded (code 73001122).",
    12_000,
  ],
  ["nobody", () => "The prompt is too long: it does not fit into the context window.", 12_000],
])("the limit is read in the words of %s", async (_, words, characters = 40_000) => {
  const call = { toolCalls: [{ name: "read", args: { text: "a" } }], text: "" };
  await using server = await serverWith(3_000, [call, "Read."], words);
  const { state } = await run(server.url, { tools: [book("word".repeat(characters / 4))] });
  expect(state.answer).toBe("Read.");
  expect(server.requests).toHaveLength(3);
});

it("a prompt that cannot be shortened ends with the words of the server, after one try", async () => {
  await using server = await serverWith(100, [{ text: "never" }], openai(100));
  const turn = run(server.url, {}, "long ".repeat(1_000));
  await expect(turn).rejects.toMatchObject({ kind: "too-long", message: expect.stringContaining("100 tokens") });
  expect(server.requests).toHaveLength(1);
});
