import { setTimeout as wait } from "node:timers/promises";
import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { context, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { keepSecret } from "../../../src/base/secrets/known-secrets.js";
import { approvalRequests, calculator, createAgent, decide, loadModel, openThreads } from "../../../src/index.js";
import { loadTracing, streamInSpan } from "../../../src/middleware/tracing/spans.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { startOpenAIServer } from "../../helpers/openai-server.js";

const exporter = new InMemorySpanExporter();
/** The names of the spans by their ids, in the order in which they began: their clocks may show the same time. */
const started = new Map<string, string>();

beforeAll(() => {
  const noting = new SimpleSpanProcessor(exporter);
  const onStart = noting.onStart.bind(noting);
  noting.onStart = (span, parent) => {
    started.set(span.spanContext().spanId, span.name);
    onStart(span, parent);
  };
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [noting] }));
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
afterAll(() => {
  trace.disable();
  context.disable();
});
beforeEach(() => {
  exporter.reset();
  started.clear();
});
afterEach(() => {
  vi.unstubAllEnvs();
  // Whatever happened, no span is left open.
  expect(
    spans()
      .map(({ name }) => name)
      .sort(),
  ).toEqual([...started.values()].sort());
});

const spans = (): readonly ReadableSpan[] => exporter.getFinishedSpans();

function named(name: string): ReadableSpan {
  const [span, ...others] = spans().filter((span) => span.name === name);
  if (span === undefined || others.length > 0) throw new Error(`There are ${others.length} other spans named ${name}.`);
  return span;
}

const began = (span: ReadableSpan) => [...started.keys()].indexOf(span.spanContext().spanId);

/** The names of the spans, each below its parent, in the order of their start. */
function tree(parent?: string, indent = ""): string[] {
  return spans()
    .filter((span) => span.parentSpanContext?.spanId === parent)
    .sort((left, right) => began(left) - began(right))
    .flatMap((span) => [indent + span.name, ...tree(span.spanContext().spanId, `${indent}  `)]);
}

const inMySpan = <Result>(name: string, work: () => Promise<Result>) =>
  trace.getTracer("mine").startActiveSpan(name, (span) => work().finally(() => span.end()));

function toolOf(name: string, run: () => unknown, metadata = {}) {
  return tool(run, { name, description: name, schema: z.object({}), metadata });
}

const calls = (...names: readonly string[]) => ({ tool_calls: names.map((name) => ({ name, args: {} })) });
const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };

describe("the spans of a turn", () => {
  it("nest: a turn in the caller's span, a tool's own spans in the tool's, and an agent's turn in the tool's", async () => {
    const inner = createAgent({ name: "inner", model: scriptedModel(["Final Answer: 7"]), protocol: "react" });
    const ask = toolOf("ask", () =>
      inMySpan("in the tool", async () => (await inner.invoke({ messages: "?" })).answer ?? ""),
    );
    const agent = createAgent({ name: "outer", model: scriptedModel([calls("ask"), "Done."]), tools: [ask] });
    await inMySpan("request", () => agent.invoke({ messages: "Look." }));
    const turn = ["rephrase-question", "plan", "  chat glassloop-scripted", "parse"];
    const below = (indent: string, lines: readonly string[]) => lines.map((line) => indent + line);
    expect(tree()).toEqual([
      ...["request", "  invoke_agent outer", ...below("    ", turn)],
      ...["    act", "      execute_tool ask", "        in the tool", "          invoke_agent inner"],
      ...[...below("            ", turn), ...below("    ", turn.slice(1))],
    ]);
    expect(new Set(spans().map((span) => span.spanContext().traceId)).size).toBe(1);
  });

  it("have the request, its cost and its end in the names of OpenTelemetry's conventions", async () => {
    const details = { finishReason: "stop", usage: { prompt: 100, completion: 20, cached: 60, reasoning: 8 } };
    await using server = await startOpenAIServer([
      { toolCalls: [{ name: "calculator", args: { expression: "6*7" } }], ...details, finishReason: "tool_calls" },
      { text: "It is 42.", ...details },
    ]);
    const threads = await openThreads("memory:");
    const model = await loadModel("gpt-4o-mini", { baseUrl: server.url });
    const agent = createAgent({ name: "sums", model, tools: [calculator()], checkpointer: threads.checkpointer });
    const state = await agent.invoke({ messages: "6*7?" }, { configurable: { thread_id: "t1" } });
    await threads.close();
    const turn = named("invoke_agent sums");
    expect(turn.kind).toBe(SpanKind.INTERNAL);
    expect(turn.attributes).toEqual({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.provider.name": "glassloop",
      "gen_ai.agent.name": "sums",
      "gen_ai.conversation.id": "t1",
      "gen_ai.usage.input_tokens": 200,
      "gen_ai.usage.output_tokens": 40,
      "gen_ai.usage.cache_read.input_tokens": 120,
      "gen_ai.usage.reasoning.output_tokens": 16,
      "glassloop.turn.id": state.turn.id,
      "glassloop.stop_reason": "answered",
    });
    const [first, second] = spans().filter(({ name }) => name === "chat gpt-4o-mini");
    expect(first?.kind).toBe(SpanKind.CLIENT);
    expect(first?.attributes).toEqual({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "gpt-4o-mini",
      "gen_ai.response.finish_reasons": ["tool_calls"],
      "gen_ai.usage.input_tokens": 100,
      "gen_ai.usage.output_tokens": 20,
      "gen_ai.usage.cache_read.input_tokens": 60,
      "gen_ai.usage.reasoning.output_tokens": 8,
      "glassloop.purpose": "reply",
    });
    expect(second?.attributes["gen_ai.response.finish_reasons"]).toEqual(["stop"]);
    expect(named("execute_tool calculator").attributes).toEqual({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "calculator",
      "gen_ai.tool.call.id": state.intermediateSteps[0]?.results[0]?.action.id,
      "gen_ai.tool.type": "function",
    });
    expect(spans().find(({ name }) => name === "plan")?.attributes).toEqual({
      "glassloop.node": "plan",
      "glassloop.protocol": "tool-calling",
    });
    expect(spans().flatMap(({ attributes }) => attributes["glassloop.decision"] ?? [])).toEqual(["action", "finish"]);
    expect(spans().map(({ status }) => status.code)).not.toContain(SpanStatusCode.ERROR);
  });

  it("have the reasoning of a reply where they have contents, and nowhere else", async () => {
    const reply = { text: "It is 42.", reasoning: { reasoning_content: "Six sevens." } };
    await using server = await startOpenAIServer([reply, reply]);
    const agent = createAgent({ model: await loadModel("thinker", { baseUrl: server.url }) });
    await agent.invoke({ messages: "6*7?" });
    expect(JSON.stringify(spans().map(({ attributes }) => attributes))).not.toContain("Six");
    exporter.reset();
    started.clear();
    vi.stubEnv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true");
    await agent.invoke({ messages: "6*7?" });
    const parts = [
      { type: "reasoning", content: "Six sevens." },
      { type: "text", content: "It is 42." },
    ];
    expect(JSON.parse(String(named("chat thinker").attributes["gen_ai.output.messages"]))).toEqual([
      { role: "assistant", parts, finish_reason: "stop" },
    ]);
  });

  it("have no known key, not even of a tool that fails", async () => {
    vi.stubEnv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true");
    keepSecret("key-that-tools-tell");
    const tell = toolOf("tell", () => "It is key-that-tools-tell.");
    const fail = toolOf("fail", () => Promise.reject(new Error("key-that-tools-tell is wrong")));
    await createAgent({ model: scriptedModel([calls("tell", "fail"), "Done."]), tools: [tell, fail] }).invoke({
      messages: "Which?",
    });
    const said = JSON.stringify(spans().map(({ attributes, status }) => [attributes, status]));
    expect([said.includes("It is [secret]."), said.includes("[secret] is wrong")]).toEqual([true, true]);
    expect(said).not.toContain("key-that-tools-tell");
  });

  it("belong to their own turn when many run at once", async () => {
    const model = scriptedModel(Array.from({ length: 8 }, () => async () => wait(Math.random() * 5, "Done.")));
    const agent = createAgent({ model, protocol: "react", limits: { maxUnreadable: 1, earlyStopping: "force" } });
    await Promise.all(model.replies.map((_, n) => inMySpan(`request ${n}`, () => agent.invoke({ messages: "?" }))));
    const traces = spans().map((span) => span.spanContext().traceId);
    expect(new Set(traces).size).toBe(8);
    for (const id of traces) expect(traces.filter((other) => other === id)).toHaveLength(6);
  });
});

describe("a span ends", () => {
  it("with the kind of a model's failure, and the turn with it", async () => {
    await using server = await startOpenAIServer([{ status: 400, message: "The word hunter2 is wrong." }]);
    const model = await loadModel("gpt-4o-mini", { baseUrl: server.url });
    await expect(createAgent({ model }).invoke({ messages: "Hi?" })).rejects.toThrow("hunter2");
    for (const name of ["chat gpt-4o-mini", "plan", "invoke_agent glassloop"]) {
      expect(named(name)).toMatchObject({
        status: { code: SpanStatusCode.ERROR },
        attributes: { "error.type": "refused" },
      });
      expect(named(name).status.message).toBeUndefined();
    }
    expect(named("invoke_agent glassloop").attributes["glassloop.stop_reason"]).toBe("failed");
  });

  it("with the name of a tool's error, which the turn survives", async () => {
    const fail = toolOf("fail", () => {
      throw new RangeError("hunter2");
    });
    const agent = createAgent({ model: scriptedModel([calls("fail"), "It failed."]), tools: [fail] });
    await agent.invoke({ messages: "Try." });
    const failed = { status: { code: SpanStatusCode.ERROR }, attributes: { "error.type": "RangeError" } };
    expect(named("execute_tool fail")).toMatchObject(failed);
    expect(named("invoke_agent glassloop").status.code).toBe(SpanStatusCode.UNSET);
  });

  it.each([
    ["a model call", "chat glassloop-scripted"],
    ["a tool that ignores its signal", "execute_tool slow"],
  ])("when the caller cancels during %s", async (_, called) => {
    const stop = new AbortController();
    const hang = async () => {
      stop.abort();
      return new Promise<string>(() => {});
    };
    const reply = called.startsWith("chat") ? hang : calls("slow");
    const agent = createAgent({ model: scriptedModel([reply]), tools: [toolOf("slow", hang)] });
    await expect(agent.invoke({ messages: "Go." }, { signal: stop.signal })).rejects.toThrow("abort");
    await expect.poll(() => spans().length).toBe(started.size);
    for (const name of [called, "invoke_agent glassloop"]) {
      expect(named(name).attributes["error.type"]).toBe("AbortError");
    }
    expect(named("invoke_agent glassloop").attributes["glassloop.stop_reason"]).toBe("cancelled");
  });

  it("after its stream was cancelled for a reader that left", async () => {
    let open = 0;
    async function* numbers() {
      open = 1;
      try {
        for (;;) yield 1;
      } finally {
        open = 0;
      }
    }
    await loadTracing();
    const end = () => ({ "numbers.open": open });
    for await (const _ of streamInSpan(() => ({ name: "numbers", attributes: {} }), numbers(), end)) break;
    expect(named("numbers").attributes).toEqual({ "numbers.open": 0 });
  });

  it("at an interrupt, without an error, and the turn resumes in another span with the same turn id", async () => {
    const threads = await openThreads("memory:");
    const pay = toolOf("pay", () => "paid", { effects: true });
    const model = scriptedModel([calls("pay"), "Done."], { usage });
    const agent = createAgent({ model, tools: [pay], approve: "effects", checkpointer: threads.checkpointer });
    const config = { configurable: { thread_id: "t" } };
    const [request] = approvalRequests(await agent.invoke({ messages: "Pay." }, config));
    await agent.invoke(decide({ [request?.id ?? ""]: "approve" }), config);
    await threads.close();
    const [waiting, ended] = spans().filter(({ name }) => name === "invoke_agent glassloop");
    expect(waiting?.attributes["glassloop.stop_reason"]).toBe("waiting");
    expect(ended?.attributes["glassloop.stop_reason"]).toBe("answered");
    expect(ended?.attributes["glassloop.turn.id"]).toBe(waiting?.attributes["glassloop.turn.id"]);
    expect(ended?.attributes["gen_ai.usage.input_tokens"]).toBe(20);
    expect(spans().map(({ status }) => status.code)).not.toContain(SpanStatusCode.ERROR);
  });

  it("when an agent hands over, without an error", async () => {
    const over = toolOf("over", () => new Command({ goto: "next", graph: Command.PARENT }));
    const agent = createAgent({ name: "first", model: scriptedModel([calls("over")]), tools: [over] });
    const graph = new StateGraph(new StateSchema({ messages: MessagesValue }))
      .addNode("first", agent, { ends: ["next"] })
      .addNode("next", () => ({}))
      .addEdge(START, "first")
      .compile();
    await graph.invoke({ messages: "Over." });
    expect(named("invoke_agent first").attributes["glassloop.stop_reason"]).toBe("handed-over");
    expect(spans().map(({ status }) => status.code)).not.toContain(SpanStatusCode.ERROR);
  });
});

describe("the contents of messages", () => {
  async function turn(): Promise<string> {
    await using server = await startOpenAIServer([
      { toolCalls: [{ name: "tell", args: { word: "password-in" } }] },
      { text: "password-answer" },
      { text: "password-rephrased" },
      { text: "password-answer" },
    ]);
    const tell = tool(
      ({ word }) => {
        if (word) return "password-out";
        throw new Error("unreachable");
      },
      { name: "tell", description: "Tells.", schema: z.object({ word: z.string() }) },
    );
    const model = await loadModel("gpt-4o-mini", { baseUrl: server.url, apiKey: "password-key" });
    const instructions = "password-instructions";
    const agent = createAgent({ model, tools: [tell], instructions, rephrase: true, modelCalls: { timeouts: {} } });
    await agent.invoke({ messages: "password-question" });
    await agent.invoke({ messages: ["password-question", { role: "assistant", content: "Hm." }, "password-question"] });
    const text = spans().map(({ name, attributes, status, events }) => [name, attributes, status, events]);
    return JSON.stringify(text);
  }

  it.each([undefined, "event_only"])(
    "are in no span, if OpenTelemetry's variable for contents is %s",
    async (value) => {
      vi.stubEnv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", value);
      expect(await turn()).not.toContain("password");
    },
  );

  it.each(["true", "SPAN_ONLY"])(
    "are in the spans, without keys, if OpenTelemetry's variable for contents is %s",
    async (value) => {
      vi.stubEnv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", value);
      const text = await turn();
      expect(text).not.toContain("password-key");
      const [first, rephrased] = spans().filter(({ name }) => name === "chat gpt-4o-mini");
      const input = z.array(z.object({ role: z.string(), parts: z.array(z.object({ content: z.string() })) }));
      const sent = input.parse(JSON.parse(String(first?.attributes["gen_ai.input.messages"])));
      expect(sent.map(({ role }) => role)).toEqual(["system", "user"]);
      expect(sent[0]?.parts[0]?.content).toContain("password-instructions");
      expect(sent[1]?.parts[0]?.content).toBe("password-question");
      expect(JSON.parse(String(first?.attributes["gen_ai.output.messages"]))).toMatchObject([
        {
          role: "assistant",
          parts: [{ type: "text" }, { type: "tool_call", name: "tell", arguments: { word: "password-in" } }],
        },
      ]);
      expect(rephrased?.attributes["gen_ai.output.messages"]).toContain("password-answer");
      expect(named("execute_tool tell").attributes).toMatchObject({
        "gen_ai.tool.call.arguments": '{"word":"password-in"}',
        "gen_ai.tool.call.result": "password-out",
      });
      const rephrasing = spans().find(({ attributes }) => attributes["glassloop.purpose"] === "rephrasing");
      expect(rephrasing?.attributes["gen_ai.output.messages"]).toContain("password-rephrased");
    },
  );

  it("name a picture in a question, without its data", async () => {
    vi.stubEnv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true");
    const data = "iVBORw0KGgo=";
    const picture = { type: "image" as const, mimeType: "image/png", data };
    const agent = createAgent({ model: scriptedModel(["A cat."]) });
    await agent.invoke({ messages: new HumanMessage({ content: [{ type: "text", text: "What is it?" }, picture] }) });
    const parts = [{ type: "text", content: "What is it?\n[an image, image/png, 8 bytes]" }];
    const sent = String(named("chat glassloop-scripted").attributes["gen_ai.input.messages"]);
    expect(JSON.parse(sent)).toEqual([{ role: "user", parts }]);
    expect(JSON.stringify(spans().map(({ attributes }) => attributes))).not.toContain(data);
  });
});
