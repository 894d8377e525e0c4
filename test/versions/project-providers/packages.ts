import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { createAgent, loadModel } from "glassloop";
import { describe, expect, it } from "vitest";
import { load, none } from "./models.js";
import { groq, mistral } from "./providers/chat.js";
import { startProvider } from "./providers/provider-server.js";

/** Starts a server whose replies a test writes. `closed` tells of the connection of each request when it closes. */
async function startServer(write: (response: ServerResponse) => void) {
  const closed: Promise<unknown>[] = [];
  const server = createServer((request, response) => {
    closed.push(once(response, "close"));
    request.resume().on("end", () => write(response));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    closed,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const piece = (text: string) =>
  `data: ${JSON.stringify({ candidates: [{ index: 0, content: { role: "model", parts: [{ text }] } }] })}\n\n`;
/** An unhandled rejection fails the test in Vitest, and would end the process. */
const later = () => new Promise((resolve) => setTimeout(resolve, 100));

describe("a stream of Gemini that ends before its reply leaves the process alive", () => {
  const words = " I look.\nAction: look\nAction Input: x\nObservation: 7\nThought: so";
  const open = (response: ServerResponse) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const word of words.split(/(?<= )/)) response.write(piece(word));
  };
  const gemini = (baseUrl: string) => loadModel("google-genai:gemini-2.5-flash", { baseUrl, apiKey: "key" });
  const settings = {
    protocol: "react",
    limits: { maxSteps: 1, earlyStopping: "force" },
    modelCalls: { maxRetries: 0 },
  } as const;

  it.each<[string, (model: BaseChatModel) => BaseChatModel]>([
    ["of a model", (model) => model],
    ["of a model with settings", (model) => Object(model.withConfig({ tags: ["mine"] }))],
  ])("if its rest is unusable: %s", async (_, bound) => {
    await using server = await startServer(open);
    const agent = createAgent({ model: bound(await gemini(server.url)), ...settings });
    expect((await agent.invoke({ messages: "Look." })).stopReason).toBe("step-limit");
    await Promise.all(server.closed);
    await later();
  });

  it("if the run is aborted, or the time of a token is over", async () => {
    await using server = await startServer((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(piece("I"));
    });
    const model = await gemini(server.url);
    const signal = AbortSignal.timeout(100);
    await expect(createAgent({ model, ...settings }).invoke({ messages: "Look." }, { signal })).rejects.toThrow();
    const late = createAgent({ model, ...settings, modelCalls: { timeouts: { betweenTokensMs: 100 }, maxRetries: 0 } });
    await expect(late.invoke({ messages: "Look." })).rejects.toThrow(/sent no more of its reply/);
    await Promise.all(server.closed);
    await later();
  });

  it("if the connection breaks", async () => {
    await using server = await startServer((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(piece("I"), () => response.destroy());
    });
    const broken = createAgent({ model: await gemini(server.url), ...settings }).invoke({ messages: "Look." });
    await expect(broken).rejects.toThrow(/broke off before the end of the reply/);
    await later();
  });
});

it.each([0, 1])(
  "a model of Mistral is called again %i times by an agent, and as often as its maxRetries allows elsewhere",
  async (n) => {
    const failures = Array.from({ length: 9 }, () => ({ status: 500 }));
    await using server = await startProvider(mistral, failures);
    const model = await loadModel("mistralai:mistral-small-latest", { ...none, baseUrl: server.url, maxRetries: n });
    await expect(createAgent({ model }).invoke({ messages: "Hi" })).rejects.toThrow(/failed \(500\)/);
    expect(server.requests).toHaveLength(n + 1);
    await expect(model.invoke("Hi")).rejects.toThrow();
    expect(server.requests).toHaveLength(2 * (n + 1));
  },
);

it.each([true, false])("the tokens of Groq are those that it reports, with streaming %s", async (streaming) => {
  await using server = await startProvider(groq, [{ content: "Five." }]);
  const model = await load("groq:llama-3.3-70b-versatile")(server.url, streaming);
  const { usage } = await createAgent({ model }).invoke({ messages: "How many?" });
  const tokens = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 3, reasoningTokens: 2 };
  expect(usage.turn).toMatchObject(tokens);
  expect(usage.turn.estimatedTokens).toBeUndefined();
});

it.each([
  ["a line with an error", '{"error":"llama runner process has terminated"}\n', "server"],
  ["no end", "", "interrupted"],
])("a stream of Ollama with %s is tried again, and is a failure of its server", async (_, end, kind) => {
  const half = { model: "m", message: { role: "assistant", content: "Half" }, done: false };
  let requests = 0;
  await using server = await startServer((response) => {
    requests += 1;
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    response.end(`${JSON.stringify(half)}\n${end}`);
  });
  const agent = createAgent({ model: await load("ollama:m")(server.url, true), modelCalls: { maxRetries: 1 } });
  await expect(agent.invoke({ messages: "Hi" })).rejects.toMatchObject({ name: "ModelError", kind });
  expect(requests).toBe(2);
});

it.each(["mistralai", "ollama", "google-genai"])("a whole reply of %s is not awaited after an abort", async (name) => {
  await using server = await startServer(() => {});
  const model = await load(`${name}:m`)(server.url);
  const signal = AbortSignal.timeout(100);
  await expect(createAgent({ model }).invoke({ messages: "Hi" }, { signal })).rejects.toThrow(/abort|timeout/i);
});
