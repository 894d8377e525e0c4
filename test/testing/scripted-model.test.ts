import { AIMessage, type AIMessageChunk, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { GlassloopError } from "../../src/base/errors.js";
import { scriptedModel } from "../../src/testing/index.js";
import { coded } from "../helpers/coded.js";

const clock = tool(async () => "noon", { name: "clock", description: "Tells the time.", schema: z.object({}) });

async function collect(stream: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk[]> {
  const chunks: AIMessageChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

describe("scriptedModel", () => {
  it("returns its replies in order and whole, whatever the prompt and the stop sequences are", async () => {
    const invented = "Action: clock\nAction Input:\nObservation: midnight";
    const model = scriptedModel(["one", { content: "two" }, new AIMessage(invented)]);
    const stop = ["\nObservation:"];
    const texts = [await model.invoke("a"), await model.invoke("b"), await model.invoke("c", { stop })];
    expect(texts.map(({ text }) => text)).toEqual(["one", "two", invented]);
    model.assertComplete();
    expect(scriptedModel([], { nativeTools: false }).bindTools).toBeUndefined();
  });

  it("replies with tool calls, usage and a finish reason", async () => {
    const usage_metadata = { input_tokens: 3, output_tokens: 2, total_tokens: 5 };
    const model = scriptedModel([
      {
        tool_calls: [{ name: "clock", args: { zone: "CET" } }],
        invalid_tool_calls: [{ name: "clock", args: "{oops", error: "not JSON" }],
        usage_metadata,
        response_metadata: { finish_reason: "length" },
      },
    ]);
    const reply = await model.invoke("What time is it?");
    expect(reply.tool_calls).toEqual([{ name: "clock", args: { zone: "CET" }, id: "call_1", type: "tool_call" }]);
    expect(reply.invalid_tool_calls).toMatchObject([{ name: "clock", args: "{oops", error: "not JSON" }]);
    expect(reply.usage_metadata).toEqual(usage_metadata);
    expect(reply.response_metadata.finish_reason).toBe("length");
  });

  it("streams its words, or the given pieces, which join to the same message", async () => {
    const reply = {
      content: "It is\nnoon. ",
      tool_calls: [{ name: "clock", args: { zone: "CET" }, id: "c7" }],
      invalid_tool_calls: [{ name: "clock", args: '{"zone": "C' }],
      response_metadata: { finish_reason: "tool_calls" },
    };
    const model = scriptedModel([reply, { content: "It is noon.", chunks: ["It is", " noon."] }], {
      usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
    });
    const chunks = await collect(await model.stream("What time is it?"));
    const whole = chunks.reduce((joined, chunk) => joined.concat(chunk));
    expect(chunks.map(({ text }) => text).filter(Boolean)).toEqual(["It", " is", "\nnoon.", " "]);
    expect(whole.text).toBe("It is\nnoon. ");
    expect(whole.tool_calls).toEqual([{ name: "clock", args: { zone: "CET" }, id: "c7", type: "tool_call" }]);
    expect(whole.invalid_tool_calls).toMatchObject([{ name: "clock", args: '{"zone": "C' }]);
    expect(whole.usage_metadata).toMatchObject({ input_tokens: 3, output_tokens: 2, total_tokens: 5 });
    expect(whole.response_metadata.finish_reason).toBe("tool_calls");

    const given = await collect(await model.stream("And now?"));
    expect(given.map(({ text }) => text).filter(Boolean)).toEqual(["It is", " noon."]);
    model.assertComplete();
  });

  it("records its prompts: messages, stop sequences and tools, also through bindTools and withConfig", async () => {
    const model = scriptedModel(["one", "two"]);
    await model.invoke([new HumanMessage("first")], { stop: ["\nObservation:"] });
    await model
      .bindTools?.([clock])
      .withConfig({ stop: ["."] })
      .invoke("second");
    expect(model.calls.map(({ prompt, stop, tools }) => ({ prompt, stop, tools }))).toEqual([
      { prompt: "first", stop: ["\nObservation:"], tools: [] },
      { prompt: "second", stop: ["."], tools: [clock] },
    ]);
  });

  it("gets the reply from a function of the messages and the call options", async () => {
    const model = scriptedModel([
      (messages, options) => `${messages.at(-1)?.text} ${options.stop?.join()}`,
      async () => new Error("from a function"),
    ]);
    expect((await model.invoke("until", { stop: ["."] })).text).toBe("until .");
    await expect(model.invoke("again")).rejects.toThrow("from a function");
  });

  it("throws the errors of its script and goes on with the next reply", async () => {
    const failure = Object.assign(new Error("overloaded"), { status: 503 });
    const model = scriptedModel([failure, "better"]);
    await expect(model.invoke("a")).rejects.toBe(failure);
    expect((await model.invoke("a")).text).toBe("better");
  });

  it("fails on unused replies, and on one call too many with the number of replies and the end of the last message", async () => {
    const model = scriptedModel(["only"]);
    await model.invoke("a");
    const failure = await model.invoke(`${"x".repeat(1000)} the end`).catch((error: unknown) => error);
    expect(failure).toEqual(coded(GlassloopError, "script-ended"));
    expect(failure).toMatchObject({ message: expect.stringMatching(/has 1 reply\..*… x+ the end$/s) });
    expect(String(failure).length).toBeLessThan(600);
    expect(() => model.assertComplete()).toThrow(coded(GlassloopError, "script-ended"));
    const unused = scriptedModel(["one", "two", "three"]);
    await unused.invoke("a");
    expect(() => unused.assertComplete()).toThrow(coded(GlassloopError, "script-unfinished"));
    expect(() => unused.assertComplete()).toThrow("called once, but its script has 3 replies");
  });

  it("stops when the caller aborts: before a call, while a function makes the reply, and between pieces", async () => {
    const controller = new AbortController();
    const never = () => new Promise<string>(() => queueMicrotask(() => controller.abort()));
    const model = scriptedModel([never, "a b c d"]);
    await expect(model.invoke("a", { signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
    await expect(model.invoke("a", { signal: controller.signal })).rejects.toThrow(/abort/i);

    const later = new AbortController();
    const seen: string[] = [];
    const streaming = (async () => {
      for await (const chunk of await model.stream("b", { signal: later.signal })) {
        seen.push(chunk.text);
        if (seen.length === 2) later.abort();
      }
    })();
    await expect(streaming).rejects.toThrow(/abort/i);
    expect(seen).toEqual(["a", " b"]);
  });
});
