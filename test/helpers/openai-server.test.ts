import { ChatOpenAI } from "@langchain/openai";
import { describe, expect, it } from "vitest";
import { type ServerReply, startOpenAIServer } from "./openai-server.js";

function chat(url: string, options: Partial<ConstructorParameters<typeof ChatOpenAI>[0] & object> = {}): ChatOpenAI {
  return new ChatOpenAI({ model: "m", apiKey: "k", maxRetries: 0, configuration: { baseURL: url }, ...options });
}

async function joined(model: ChatOpenAI, prompt: string, stop?: string[]) {
  let whole: Awaited<ReturnType<ChatOpenAI["invoke"]>> | undefined;
  let pieces = 0;
  for await (const chunk of await model.stream(prompt, { stop })) {
    whole = whole ? whole.concat(chunk) : chunk;
    if (chunk.text) pieces += 1;
  }
  return { message: whole, pieces };
}

describe("the OpenAI test server", () => {
  it("answers whole or streaming, as the request asks, and counts tokens", async () => {
    await using server = await startOpenAIServer(["Hello there, you.", "Hello there, you."]);
    const whole = await chat(server.url).invoke("Hi");
    const { message, pieces } = await joined(chat(server.url), "Hi");
    for (const reply of [whole, message]) {
      expect(reply?.text).toBe("Hello there, you.");
      expect(reply?.usage_metadata).toMatchObject({ input_tokens: 10, output_tokens: 5, total_tokens: 15 });
      expect(reply?.response_metadata.finish_reason).toBe("stop");
    }
    expect(pieces).toBe(3);
    expect(server.requests.map(({ body }) => body.stream)).toEqual([false, true]);
  });

  it("sends no usage with a stream unless it is asked for", async () => {
    await using server = await startOpenAIServer(["Hello."]);
    const { message } = await joined(chat(server.url, { streamUsage: false }), "Hi");
    expect(message?.text).toBe("Hello.");
    expect(message?.usage_metadata).toBeUndefined();
  });

  it("cuts at the request's stop sequences, unless the script says otherwise", async () => {
    await using cutting = await startOpenAIServer(() => "Action Input: x\nObservation: y");
    await using honest = await startOpenAIServer(() => "Action Input: x\nObservation: y", { applyStop: false });
    const stop = ["\nObservation"];
    expect((await chat(cutting.url).invoke("?", { stop })).text).toBe("Action Input: x");
    expect((await joined(chat(cutting.url), "?", stop)).message?.text).toBe("Action Input: x");
    expect((await chat(cutting.url).invoke("?")).text).toContain("Observation: y");
    expect((await chat(honest.url).invoke("?", { stop })).text).toContain("Observation: y");
  });

  it("calls tools and ends with any finish reason, streaming and not", async () => {
    const reply: ServerReply = { toolCalls: [{ name: "clock", args: { zone: "CET" } }], finishReason: "length" };
    await using server = await startOpenAIServer(() => reply);
    for (const message of [await chat(server.url).invoke("?"), (await joined(chat(server.url), "?")).message]) {
      expect(message?.tool_calls).toMatchObject([{ name: "clock", args: { zone: "CET" }, id: "call_1" }]);
      expect(message?.response_metadata.finish_reason).toBe("length");
    }
  });

  it("records headers and bodies", async () => {
    await using server = await startOpenAIServer(["Hello."]);
    await chat(server.url, { apiKey: "secret" }).invoke("Hi");
    expect(server.requests[0]?.headers.authorization).toBe("Bearer secret");
    expect(server.prompts()).toEqual(["Hi"]);
  });

  it("fails with the status of its script, and says when the script is over", async () => {
    await using server = await startOpenAIServer([401, { status: 429, retryAfterSeconds: 7 }]);
    await expect(chat(server.url).invoke("?")).rejects.toMatchObject({ status: 401 });
    const limited = await chat(server.url)
      .invoke("?")
      .catch((error: unknown) => error);
    expect(limited).toMatchObject({ status: 429 });
    await expect(chat(server.url).invoke("?")).rejects.toThrow("2 replies, and this is request 3");
  });

  it("hangs, waits, cuts a stream in the middle, and leaves out the choices", async () => {
    await using server = await startOpenAIServer([
      { hang: true },
      { text: "late", delayMs: 20 },
      { text: "one two three four", cutAfterPieces: 2 },
      { noChoices: true },
    ]);
    await expect(chat(server.url, { timeout: 1_000 }).invoke("?")).rejects.toThrow(/timed out/i);
    expect((await chat(server.url).invoke("?")).text).toBe("late");
    await expect(joined(chat(server.url), "?")).rejects.toThrow(/terminated|aborted|socket/i);
    await expect(chat(server.url).invoke("?")).rejects.toThrow();
  });
});
