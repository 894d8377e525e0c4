import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { describe, expect, it, vi } from "vitest";
import { calculator, createAgent, loadModel, type ModelErrorKind } from "../../src/index.js";
import { chunk, startWireServer, streamed, type WireResponse, whole } from "../helpers/wire-server.js";

const thread = { configurable: { thread_id: "1" } };
const question = { messages: "What is 2 + 2?" };
const apiKey = "x-not-a-key-4711";

const models = {
  loadModel: async (url: string) => await loadModel("openai:m", { baseUrl: url, apiKey, maxRetries: 0 }),
  ChatOpenAI: async (url: string) =>
    new ChatOpenAI({ model: "m", apiKey, maxRetries: 0, configuration: { baseURL: url } }),
  "a ChatOpenAI that does not stream": async (url: string) =>
    new ChatOpenAI({ model: "m", apiKey, maxRetries: 0, disableStreaming: true, configuration: { baseURL: url } }),
};

function json(status: number, body: unknown): WireResponse {
  return { status, body: JSON.stringify(body) };
}

const detail = [{ type: "extra_forbidden", loc: ["body", "store"], msg: "Extra inputs are not permitted" }];
const raw = "google/gemini-2.0-flash-exp:free is temporarily rate-limited upstream.";

/** Bodies as servers send them, with the words that the error must keep. */
const refused: readonly (readonly [string, WireResponse, ModelErrorKind, string])[] = [
  ["OpenAI", json(400, { error: { message: "Bad temperature.", type: "x" } }), "refused", "(400): Bad temperature."],
  ["vLLM", json(400, { object: "error", message: "Bad temperature", code: 400 }), "refused", "(400): Bad temperature."],
  ["FastAPI", json(422, { detail }), "refused", "Extra inputs are not permitted"],
  ["FastAPI, in words", json(404, { detail: "Not Found" }), "not-found", "Not Found"],
  ["Mistral", json(422, { object: "Error", message: detail, code: 3001 }), "refused", "Extra inputs are not permitted"],
  ["Mistral's proxy", json(422, { message: { detail }, code: null }), "refused", "Extra inputs are not permitted"],
  ["Gemini", json(400, [{ error: { code: 400, message: "API version?" } }]), "refused", "(400): API version?"],
  ["Ollama", json(400, { error: "model is too large" }), "refused", "(400): model is too large."],
  ["a proxy, in a JSON text", json(503, "upstream is down"), "server", "(503): upstream is down."],
  ["a proxy", { status: 503, type: "text/plain", body: "upstream is down" }, "server", "(503): upstream is down."],
  ["a server without words", { status: 500, body: "" }, "server", "failed (500). Ask again later."],
  ["DeepSeek", json(402, { error: { message: "Insufficient Balance" } }), "quota", "(402): Insufficient Balance."],
  [
    "OpenRouter",
    json(429, { error: { message: "Provider returned error", code: 429, metadata: { raw } } }),
    "rate-limit",
    `Provider returned error: ${raw}`,
  ],
  [
    "OpenRouter, in JSON",
    json(400, {
      error: { message: "Provider returned error", metadata: { raw: '{"error":{"message":"Say json."}}' } },
    }),
    "refused",
    "Provider returned error: Say json.",
  ],
  ["a server with status 200", json(200, { error: { message: "Out of memory" } }), "server", "Out of memory."],
];

const begun = chunk({ role: "assistant", content: "It is" });

const broken: readonly (readonly [string, WireResponse, ModelErrorKind, string])[] = [
  ["an error", { body: `${begun}data: {"error":{"message":"Overloaded"}}\n\n` }, "server", "failed: Overloaded. Ask"],
  [
    "an error with a code",
    { body: `${begun}data: {"error":{"message":"Slow","code":429}}\n\n` },
    "rate-limit",
    "(429): Slow.",
  ],
  ["a garbled line", { body: `${begun}data: {oops\n\n` }, "garbled", "cannot be read: {oops. Ask"],
  ["a cut", { body: begun, cut: true }, "interrupted", "broke off"],
  ["an end before its end", { body: begun }, "interrupted", "broke off"],
  ["no stream at all", { body: "upstream is down" }, "garbled", "cannot be read: upstream is down. Ask"],
];

describe.each(Object.entries(models))("an error of the server of %s", (how, load) => {
  const isStreamed = !how.includes("not stream");

  it.each([...refused, ...(isStreamed ? broken : [])])(
    "has the words of %s, and the turn can be resumed when the server works again",
    async (_server, response, kind, words) => {
      const printed = (["log", "error", "warn"] as const).map((name) => vi.spyOn(console, name));
      const answer = isStreamed ? streamed("4") : whole({ content: "4" });
      await using server = await startWireServer([response, answer]);
      const model = await load(server.url);
      const agent = createAgent({ model, tools: [calculator()], checkpointer: new MemorySaver() });
      const error: unknown = await agent.invoke(question, thread).catch((error: unknown) => error);
      expect(error).toMatchObject({ name: "ModelError", kind });
      const { message } = error as Error;
      expect(message).toContain(words);
      expect(message).toContain(server.url);
      expect(message.replaceAll(server.url, "")).not.toMatch(/4711|\n|status code|Troubleshooting/);
      expect(server.requests).toHaveLength(1);
      const { next, values } = await agent.getState(thread);
      expect(next).toEqual(["plan"]);
      expect(values).toMatchObject({ question: "What is 2 + 2?", answer: null });
      const resumed = await agent.invoke(null, thread);
      expect(resumed).toMatchObject({ answer: "4", stopReason: "answered", turn: { number: 1 } });
      for (const print of printed) expect(print).not.toHaveBeenCalled();
      vi.restoreAllMocks();
    },
  );

  it.each([
    json(400, { object: "error", message: '"auto" tool choice requires --enable-auto-tool-choice', code: 400 }),
    json(422, { object: "Error", detail: [{ loc: ["body", "tools"], msg: "Extra inputs are not permitted" }] }),
    json(500, { code: 500, message: "Unsupported param: tools", type: "server_error" }),
    json(400, { error: "registry.ollama.ai/library/deepseek-r1:8b does not support tools" }),
  ])("that refuses tools makes auto speak text, for that agent: $body", async (refusal) => {
    const answer = " I know.\nFinal Answer: 4";
    await using server = await startWireServer([refusal, isStreamed ? streamed(answer) : whole({ content: answer })]);
    const model = await load(server.url);
    const agent = createAgent({ model, tools: [calculator()] });
    for (const turn of [1, 2]) {
      const state = await agent.invoke(question);
      expect(state).toMatchObject({ answer: "4", reply: { protocol: "react" } });
      expect(server.requests).toHaveLength(turn + 1);
    }
    expect(server.requests.map(({ tools }) => tools !== undefined)).toEqual([true, false, false]);
    await createAgent({ model, tools: [calculator()] }).invoke(question);
    expect(server.requests.at(-1)?.tools).toHaveLength(1);
  });
});

it("an error about an image is reported at once if the prompt has no image", async () => {
  const message = "Error while downloading https://example.com/test-image.jpg.";
  await using server = await startWireServer([json(400, { error: { message } })]);
  const model = await loadModel("openai:gpt-4o-mini", { baseUrl: server.url, apiKey, maxRetries: 0 });
  await expect(createAgent({ model, tools: [calculator()] }).invoke(question)).rejects.toThrow(message);
  expect(server.requests).toHaveLength(1);
});

describe("a caller's own model", () => {
  it("stays as it is, with all settings of the caller", async () => {
    await using server = await startWireServer([streamed("4")]);
    const model = new ChatOpenAI({ model: "m", apiKey, configuration: { baseURL: server.url } });
    const before = Object.entries(model);
    const asked = vi.spyOn(model, "stream");
    expect((await createAgent({ model }).invoke(question)).answer).toBe("4");
    expect(asked).toHaveBeenCalledOnce();
    expect(server.requests).toHaveLength(1);
    for (const [name, value] of before) expect(Reflect.get(model, name), name).toBe(value);
  });

  it("of the caller's own class is called as it is", async () => {
    class Own extends ChatOpenAI {
      readonly #greeting = "4";
      override async *_streamResponseChunks(...args: Parameters<ChatOpenAI["_streamResponseChunks"]>) {
        expect(this.#greeting).toBe("4");
        yield* super._streamResponseChunks(...args);
      }
    }
    await using server = await startWireServer([streamed("4")]);
    expect(
      (
        await createAgent({ model: new Own({ model: "m", apiKey, configuration: { baseURL: server.url } }) }).invoke(
          question,
        )
      ).answer,
    ).toBe("4");
  });
});

describe("a reply in JSON to a request for a stream", () => {
  it.each(Object.entries(models).slice(0, 2))("is read with %s: calls, usage and answer", async (_how, load) => {
    const calls = ["2+2", "3+3"].map((expression, n) => ({
      ...{ id: `c${n}`, type: "function" },
      function: { name: "calculator", arguments: JSON.stringify({ expression }) },
    }));
    const content = [
      { type: "thinking", thinking: [] },
      { type: "text", text: "4 and 6" },
    ];
    await using server = await startWireServer([
      whole({ content: null, tool_calls: calls }, "tool_calls"),
      whole({ content }),
    ]);
    const state = await createAgent({ model: await load(server.url), tools: [calculator()] }).invoke(question);
    expect(state.answer).toBe("4 and 6");
    expect(state.intermediateSteps[0]?.results.map(({ observation }) => observation)).toEqual(["4", "6"]);
    expect(state.usage.turn).toMatchObject({ inputTokens: 14, outputTokens: 4 });
    expect(server.requests.every(({ stream }) => stream)).toBe(true);
  });

  it("is read as a stream if it begins like one, whatever its content type says", async () => {
    await using server = await startWireServer([{ ...streamed("4"), type: "application/json", before: "\r\n" }]);
    const state = await createAgent({ model: await models.ChatOpenAI(server.url) }).invoke(question);
    expect(state.answer).toBe("4");
  });

  it("is an empty reply if its body is empty", async () => {
    await using server = await startWireServer([{ body: "" }, streamed("4")]);
    const agent = createAgent({ model: await models.ChatOpenAI(server.url) });
    await expect(agent.invoke(question)).resolves.toMatchObject({ answer: "4", intermediateSteps: [{}] });
  });
});
