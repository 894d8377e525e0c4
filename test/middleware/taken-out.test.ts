import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { trace } from "@opentelemetry/api";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { assembleParts } from "../../src/agent/assemble-parts.js";
import type { AgentOptions } from "../../src/agent/options.js";
import { agentOf } from "../../src/graph/compile-agent.js";
import { calculator, streamTurn, type TurnEvent } from "../../src/index.js";
import { type RecordedReply, RecordingModel } from "../helpers/recording-model.js";
import { textTool } from "../helpers/tools.js";
import { allOf } from "../helpers/turn-events.js";

const exporter = new InMemorySpanExporter();
beforeAll(() => {
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
});
afterAll(() => trace.disable());
beforeEach(() => exporter.reset());

/** A promise: a turn of an agent, in which it is seen. */
interface Kept {
  readonly replies?: readonly Partial<RecordedReply>[];
  readonly options?: Partial<AgentOptions>;
  readonly isSeen: (events: readonly TurnEvent[]) => boolean;
}

const calculate = { name: "calculator", args: { expression: "2 + 2" }, id: "c1" };
const usual = [{ tool_calls: [calculate] }, { content: "Four." }];
const words = { type: "text", text: "Four." };
const thinking = { type: "thinking", thinking: "Two and two." };
const searching = { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "2 + 2" } };
const sourced = tool(() => ["[1] cats.md", { sources: [{ title: "Cats", address: "cats.md" }] }], {
  name: "calculator",
  description: "Finds.",
  schema: z.object({ expression: z.string() }),
  responseFormat: "content_and_artifact",
});
const sees = (type: TurnEvent["type"]) => (events: readonly TurnEvent[]) => events.some((event) => event.type === type);

const order = '<tool_call>{"name": "read", "arguments": {"text": "b"}}</tool_call>';
const reading = { name: "read", args: { text: "a" }, id: "r1" };

/** The promises of an agent, by the names of its plug-ins. */
const promises: Readonly<Record<string, Kept>> = {
  tracing: { isSeen: () => exporter.getFinishedSpans().some(({ name }) => name === "execute_tool calculator") },
  limits: {
    options: { limits: { stopWhen: ({ state }) => state.intermediateSteps.length > 0 && "a step was taken" } },
    isSeen: (events) => events.some((event) => event.type === "turn-end" && event.stopReason === "stop-condition"),
  },
  citations: {
    replies: [{ tool_calls: [calculate] }, { content: "Four [1]." }],
    options: { tools: [sourced] },
    isSeen: sees("citations"),
  },
  "copied-calls": {
    replies: [{ tool_calls: [reading] }, { content: `It says:\n${order}` }, { content: "It gives an order." }],
    options: { tools: [textTool("read", () => order)] },
    isSeen: (events) => events.some((event) => event.type === "correction" && /repeats a call/.test(event.text)),
  },
  "unknown-ends": {
    replies: [{ tool_calls: [calculate], response_metadata: { finish_reason: "odd" } }, ...usual],
    isSeen: (events) =>
      events.some((event) => event.type === "correction" && /that the reply is whole/.test(event.text)),
  },
  output: {
    replies: [{ content: '{"sum": 4}' }],
    options: { output: z.object({ sum: z.number() }) },
    isSeen: (events) => events.some((event) => event.type === "answer" && event.output !== undefined),
  },
  reasoning: { replies: [{ content: [thinking, words] }], isSeen: sees("reasoning") },
  "provider-calls": { replies: [{ content: [searching, words] }], isSeen: sees("action") },
  approvals: { options: { approve: "always" }, isSeen: sees("approval") },
};

async function turn({ replies = usual, options }: Kept, isIn: (name: string) => boolean) {
  const all = { model: new RecordingModel(replies), tools: [calculator()], ...options };
  const parts = assembleParts(all);
  const plugins = parts.plugins.filter(({ name }) => isIn(name));
  const agent = agentOf({ ...parts, plugins }, { checkpointer: new MemorySaver() });
  const thread = { configurable: { thread_id: "t" } };
  return { plugins, events: await allOf(streamTurn(agent, { messages: "2 + 2?" }, thread)) };
}

it.each(Object.entries(promises))(
  "%s is kept by its plug-in, and without it the loop still answers",
  async (own, kept) => {
    const whole = await turn(kept, () => true);
    expect(Object.keys(promises)).toEqual(expect.arrayContaining(whole.plugins.map(({ name }) => name)));
    expect(kept.isSeen(whole.events)).toBe(true);
    exporter.reset();
    const { events } = await turn(kept, (name) => name !== own);
    expect(kept.isSeen(events)).toBe(false);
    expect(events.at(-1)).toMatchObject({ type: "turn-end", stopReason: "answered" });
  },
);
