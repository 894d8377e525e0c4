import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { MemorySaver } from "@langchain/langgraph";
import { expect, it } from "vitest";
import { z } from "zod";
import type { AgentParts } from "../../src/core/parts/agent-parts.js";
import type { NamedModels } from "../../src/core/parts/models.js";
import type { Plugin } from "../../src/core/parts/plugin.js";
import type { FencedProtocol } from "../../src/core/parts/protocol.js";
import { nothingShortened } from "../../src/core/state/prompt-record.js";
import { agentOf } from "../../src/graph/compile-agent.js";

const form = { ids: ".", names: ".", fields: ".", blocks: true, schemas: [] };

/** A protocol in which `call NAME: INPUT` is a call, and all else is the answer. */
const protocol: FencedProtocol = {
  name: "plain",
  render({ question, chatHistory, intermediateSteps }) {
    const earlier = chatHistory.turns.flatMap((turn) => [turn.question, turn.answer]);
    const steps = intermediateSteps.flatMap(({ reply, decision, results }) => [
      reply.text,
      ...(decision.kind === "unparseable" ? [decision.correction] : results.map(({ observation }) => observation)),
    ]);
    return [new HumanMessage([...earlier, question, ...steps].join("\n"))];
  },
  parse(reply) {
    const text = typeof reply === "string" ? reply : reply.text;
    const [, name, toolInput = ""] = /^call (\w+): (.*)$/.exec(text) ?? [];
    if (name !== undefined) return { kind: "action", actions: [{ tool: name, toolInput, log: text }] };
    return text === "" ? { kind: "unparseable", why: "It is empty." } : { kind: "finish", output: text };
  },
  shownTools: (tools) => tools,
  reader: () => ({ push: () => ({ pieces: [] }) }),
  correct: ({ why }) => why,
  lastRequest: (why) => `Answer now: ${why}.`,
};

const double = tool(({ input }) => `${Number(input) * 2}`, {
  name: "double",
  description: "Doubles a number.",
  schema: z.object({ input: z.string() }),
});

/** The parts of an agent, made of nothing but the core. */
function partsWith(replies: string[], plugins: Plugin[] = []): AgentParts {
  const model = new FakeListChatModel({ responses: replies });
  const named: NamedModels = [
    {
      name: "list",
      model,
      abilities: {
        stop: false,
        nativeTools: false,
        files: [],
        fileForm: "older",
        responseFormat: false,
        refuses: [],
        form,
      },
      server: {
        name: () => "The list",
        provider: () => "list",
        readReply: ([reply]) => ({ text: reply?.text ?? "", toolCalls: [], invalidToolCalls: [] }),
        window: async () => undefined,
        explain: (error) => error,
        failedCall: () => undefined,
        definitions: () => undefined,
      },
    },
  ];
  return {
    models: {
      load: async () => named,
      named: () => named,
      limits: { timeouts: { firstTokenMs: 60_000, betweenTokensMs: 60_000, totalMs: 60_000 } },
      refusals: { learn: () => {}, has: () => false },
    },
    protocols: { text: protocol, writerOf: () => protocol },
    prompt: {
      write: async ({ state }) => {
        const messages = protocol.render({ ...state, messages: [], tools: [] }, { mark: "", marks: new Map() });
        return { messages, shortened: nothingShortened };
      },
      instructions: () => "",
      examples: () => undefined,
      currentDate: false,
      fence: true,
    },
    tools: {
      byName: new Map([[double.name, double]]),
      specs: [{ name: double.name, description: double.description }],

      ofProvider: [],
      keepsSteps: true,
    },
    memory: { name: "all", remember: (history) => history },
    rephrase: async (_, { asked }) => asked,
    answers: {},
    plugins,
  };
}

it("an agent made of the core alone runs a tool, answers and remembers", async () => {
  const parts = partsWith(["call double: 21", "It is 42.", "I said 42."]);
  const agent = agentOf(parts, { checkpointer: new MemorySaver() });
  const thread = { configurable: { thread_id: "t" } };
  const state = await agent.invoke({ messages: "What is twice 21?" }, thread);
  expect(state).toMatchObject({ answer: "It is 42.", stopReason: "answered" });
  expect(state.messages.map(({ text }) => text)).toEqual(["What is twice 21?", "", "42", "It is 42."]);
  const next = await agent.invoke({ messages: "What did you say?" }, thread);
  expect(next.answer).toBe("I said 42.");
  expect(next.chatHistory.turns).toMatchObject([{ question: "What is twice 21?", answer: "It is 42." }]);
});

const twoSteps: Plugin = {
  name: "two-steps",
  read: (said, { state, reply }) => {
    if (state.intermediateSteps.length < 2 || reply.last) return said;
    return { kind: "limit", stopReason: "step-limit", why: "it took 2 steps" };
  },
};

it("an agent made of the core alone corrects a reply, ends at a limit, and emits events for both", async () => {
  const agent = agentOf(partsWith(["", "call double: 1", "call double: 2", "It is 2."], [twoSteps]));
  const told: string[] = [];
  const events = await agent.stream({ messages: "Go." }, { streamMode: "custom" });
  for await (const { type } of events) if (!type.startsWith("model-")) told.push(type);
  expect(told).toEqual([
    ...["turn-start", "question", "correction", "action", "observation", "thought", "correction"],
    ...["answer-delta", "answer", "turn-end"],
  ]);
});
