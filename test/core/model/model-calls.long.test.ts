import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { describe, expect, it } from "vitest";
import { type AgentOptions, createAgent, InvalidOptionError, ModelError, type Timeouts } from "../../../src/index.js";
import { loadModel } from "../../../src/model/models.js";
import { type OpenAIServer, type ServerReply, startOpenAIServer } from "../../helpers/openai-server.js";

const apiKey = "key";
const clock = tool(() => "noon", { name: "clock", description: "Tells the time." });
const silent = { hang: true } as const;

const models = {
  "of loadModel": (baseUrl: string, maxRetries?: number) => loadModel("openai:m", { baseUrl, apiKey, maxRetries }),
  "of the caller": async (baseURL: string, maxRetries?: number) =>
    new ChatOpenAI({ model: "m", apiKey, maxRetries, configuration: { baseURL } }),
  "that does not stream": async (baseURL: string, maxRetries?: number) =>
    new ChatOpenAI({ model: "m", apiKey, maxRetries, disableStreaming: true, configuration: { baseURL } }),
};
type Make = (typeof models)["of loadModel"];

interface Options {
  readonly make?: Make;
  readonly timeouts?: Timeouts;
  /** The retries of the agent, and of the model itself. */
  readonly maxRetries?: number;
  readonly ownRetries?: number;
  readonly tools?: AgentOptions["tools"];
}

async function ask(
  server: OpenAIServer,
  { make = models["of loadModel"], ownRetries, tools, ...modelCalls }: Options = {},
) {
  const model = await make(server.url, ownRetries);
  return (await createAgent({ model, modelCalls, ...(tools && { tools }) }).invoke({ messages: "Hi" })).answer;
}

describe.each(Object.entries(models))("a model %s", (_name, make) => {
  it.concurrent.each<[string, ServerReply]>([
    ["a 429 without retry-after", { status: 429 }],
    ["a 429 with retry-after", { status: 429, retryAfterSeconds: 1 }],
    ["a 500", { status: 500 }],
    ["a reply that breaks off", { text: "a b c d", cutAfterPieces: 2 }],
  ])("is called again after %s, and gives the second reply", async (_, first) => {
    await using server = await startOpenAIServer([first, "better"]);
    expect(await ask(server, { make })).toBe("better");
    expect(server.requests).toHaveLength(2);
  });

  it.concurrent("is called three times in all, whatever LangChain's retries are, also with tools", async () => {
    await using server = await startOpenAIServer(() => 500);
    const failed = ask(server, { make, ownRetries: 6, tools: [clock] });
    await expect(failed).rejects.toMatchObject({ kind: "server", status: 500 });
    expect(server.requests).toHaveLength(3);
    expect(server.requests[0]?.body.tools).toHaveLength(1);
  });

  it.concurrent("is called as often as its own maxRetries allows, if that is less", async () => {
    await using server = await startOpenAIServer(() => 500);
    await expect(ask(server, { make, ownRetries: 0 })).rejects.toThrow(ModelError);
    expect(server.requests).toHaveLength(1);
  });

  it.concurrent("is called as often as the agent's maxRetries allows, whatever its own is", async () => {
    await using server = await startOpenAIServer([500, "better"]);
    expect(await ask(server, { make, ownRetries: 0, maxRetries: 1 })).toBe("better");
  });

  it.concurrent("is not called again if its server wants a long wait", async () => {
    await using server = await startOpenAIServer([{ status: 429, retryAfterSeconds: 600 }, "better"]);
    await expect(ask(server, { make })).rejects.toMatchObject({ kind: "rate-limit" });
    expect(server.requests).toHaveLength(1);
  });

  it.concurrent("is not waited for longer than the total time of all tries", async () => {
    await using server = await startOpenAIServer(() => silent);
    const asked = ask(server, { make, timeouts: { totalMs: 300 } });
    await expect(asked).rejects.toMatchObject({
      kind: "timeout",
      message: expect.stringMatching(/at http:.* within 0\.3 s\. .*timeouts\.totalMs/),
    });
    // On a busy machine the time may be over before the server has the request.
    expect(server.requests.length).toBeLessThan(2);
  });

  it.concurrent("keeps its own retries for calls from elsewhere", async () => {
    await using server = await startOpenAIServer(["for the agent", 500, "better"]);
    const model = await make(server.url, 1);
    await createAgent({ model }).invoke({ messages: "Hi" });
    expect((await model.invoke("Hi")).text).toBe("better");
  });
});

describe("a streamed reply", () => {
  it.concurrent("has a time limit to its first token, after which it is requested again", async () => {
    await using server = await startOpenAIServer([silent, "better"]);
    expect(await ask(server, { timeouts: { firstTokenMs: 5_000 } })).toBe("better");
  });

  it.concurrent.each([
    ["its first token, which an empty first chunk is not", 0, { firstTokenMs: 200 }, /sent nothing within 0\.2 s/],
    ["the time between two tokens", 2, { betweenTokensMs: 150 }, /sent no more of its reply within 0\.15 s/],
    ["the whole call", 2, { totalMs: 1_000 }, /did not finish within 1 s/],
  ])("has a limit to %s", async (_, stallAfterPieces, timeouts, message) => {
    await using server = await startOpenAIServer([{ text: "a b c d e", stallAfterPieces }]);
    const asked = ask(server, { timeouts, maxRetries: 0 });
    await expect(asked).rejects.toMatchObject({ kind: "timeout", message: expect.stringMatching(message) });
  });

  it.concurrent("may take longer than the limit between two tokens", async () => {
    const text = "a b c d e f g h i j k l m n o p";
    await using server = await startOpenAIServer([{ text, pauseMs: 500 }]);
    expect(await ask(server, { timeouts: { betweenTokensMs: 6_000 } })).toBe(text);
  });

  it.concurrent("may take its time to the first token", async () => {
    await using server = await startOpenAIServer([{ text: "slow", delayMs: 6_000 }]);
    expect(await ask(server, { timeouts: { firstTokenMs: 60_000, betweenTokensMs: 5_000 } })).toBe("slow");
  });
});

it("the wait before a retry ends with the run", async () => {
  await using server = await startOpenAIServer([{ status: 429, retryAfterSeconds: 25 }]);
  const agent = createAgent({ model: await models["of loadModel"](server.url) });
  const stop = new AbortController();
  const failed = expect(agent.invoke({ messages: "Hi" }, { signal: stop.signal })).rejects.toThrow("enough");
  await expect.poll(() => server.requests).toHaveLength(1);
  stop.abort(new Error("enough"));
  await failed;
  expect(server.requests).toHaveLength(1);
});

it.each([
  [
    { timeouts: { firstTokenMs: 0 } },
    "modelCalls.timeouts.firstTokenMs: 0 is not possible; give a whole number of at least 1.",
  ],
  [{ maxRetries: -1 }, "modelCalls.maxRetries: -1 is not possible; give a whole number of at least 0."],
])("%j is refused", (modelCalls, message) => {
  const make = () => createAgent({ model: "openai:m", modelCalls });
  expect(make).toThrow(InvalidOptionError);
  expect(make).toThrow(message);
});
