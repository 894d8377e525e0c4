import { trace } from "@opentelemetry/api";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { agentParts } from "../../src/agent/agent-parts.js";
import type { AgentOptions } from "../../src/agent/options.js";
import { agentGraph } from "../../src/core/agent.js";
import { calculator, streamTurn, type TurnEvent } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { allOf } from "../helpers/turn-events.js";

const exporter = new InMemorySpanExporter();
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
beforeEach(() => exporter.reset());

/** A promise: a turn of an agent, in which it is seen. */
interface Kept {
  readonly replies?: Parameters<typeof scriptedModel>[0];
  readonly options?: Partial<AgentOptions>;
  readonly isSeen: (events: readonly TurnEvent[]) => boolean;
}

const usual = [
  "Thought: I calculate.\nAction: calculator\nAction Input: 2 + 2",
  "Thought: I know.\nFinal Answer: Four.",
];

/** The promises of an agent, by the names of its plug-ins. */
const promises: Readonly<Record<string, Kept>> = {
  tracing: { isSeen: () => exporter.getFinishedSpans().some(({ name }) => name === "execute_tool calculator") },
  output: {
    replies: ['Final Answer: {"sum": 4}'],
    options: { output: z.object({ sum: z.number() }) },
    isSeen: (events) => events.some((event) => event.type === "answer" && event.output !== undefined),
  },
};

async function turn({ replies = usual, options }: Kept, isIn: (name: string) => boolean) {
  const all = { model: scriptedModel(replies), tools: [calculator()], protocol: "react", ...options } as const;
  const parts = agentParts(all);
  const plugins = parts.plugins.filter(({ name }) => isIn(name));
  return { plugins, events: await allOf(streamTurn(agentGraph({ ...parts, plugins }), { messages: "2 + 2?" })) };
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
