import { Document } from "@langchain/core/documents";
import { tool } from "@langchain/core/tools";
import { Command, interrupt } from "@langchain/langgraph";
import { z } from "zod";
import {
  type Agent,
  type AgentInput,
  approvalRequests,
  createAgent,
  createRetrievalAgent,
  streamTurn,
  type Threads,
  type TurnEvent,
} from "../../../src/index.js";
import { type ScriptedReply, scriptedModel } from "../../../src/testing/index.js";
import { pick } from "../../../test/helpers/random.js";
import { dialects } from "../../../test/matrix/dialects.js";

const toolNames = ["look", "pay", "fail", "delegate", "confirm"] as const;
const many = (reply: (n: number) => ScriptedReply | (() => ScriptedReply)) =>
  Array.from({ length: 200 }, (_, n) => reply(n));

/** Makes an agent that does random things: calls of several kinds, agents in tools, replies that cannot be read, limits, failures, searches. */
export function randomAgent(random: () => number, { checkpointer }: Threads): Agent {
  const shared = { checkpointer, rephrase: random() < 0.3 };
  if (random() < 0.2) return randomRetrieval(random, shared);
  const { protocol, act, answer, unreadable, oneTool } = pick(dialects, random);
  let number = 0;
  const reply = (depth: number) => (): ScriptedReply => {
    number += 1;
    const drawn = random();
    if (drawn < 0.1) return unreadable;
    if (drawn > 0.97) return new Error("The model is out of order.");
    if (drawn < 0.6 - depth / 10) {
      const names = oneTool ? (["look"] as const) : toolNames;
      if (protocol !== "tool-calling" || random() < 0.5) return act(pick(names, random), `input ${number}`);
      const calls = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, n) => ({
        ...{ name: pick(names, random), args: { input: `input ${number}.${n}` }, id: `native-${number}-${n}` },
      }));
      return { content: random() < 0.5 ? `Thought ${number}` : "", tool_calls: calls };
    }
    return answer(`Answer ${number}.`);
  };
  const agentOf = (depth: number): Agent => {
    const inner = depth < 2 ? agentOf(depth + 1) : undefined;
    const run = {
      look: async (input: string) => `Seen: ${input}`,
      pay: async (input: string) => `Paid: ${input}`,
      fail: async (input: string) => Promise.reject(new Error(`No ${input}.`)),
      delegate: async (messages: string) => (await inner?.invoke({ messages }))?.answer ?? "Nobody there.",
      confirm: async (input: string) => `They said ${interrupt(`Sure about ${input}?`)}`,
    };
    const tools = (oneTool ? (["look"] as const) : toolNames).map((name) =>
      tool(({ input }) => run[name](input), {
        ...{ name, description: name, schema: z.object({ input: z.string() }) },
        ...(name === "pay" && { metadata: { approve: true, effects: true } }),
      }),
    );
    const limits = pick([{}, {}, { maxToolCalls: 2 }, { maxSteps: 3 }, { maxModelCalls: 3 }], random);
    const models = Array.from({ length: pick([1, 2], random) }, () => scriptedModel(many(() => reply(depth))));
    return createAgent({ ...(depth === 0 ? shared : { rephrase: false }), model: models, tools, protocol, limits });
  };
  return agentOf(0);
}

function randomRetrieval(random: () => number, shared: object): Agent {
  const model = scriptedModel(many((n) => () => pick(["yes", "no", `Found ${n} [1].`, "1, 2"], random)));
  const invoke = async (query: string) => [
    new Document({ pageContent: `About ${query}`, metadata: { source: "a.md" } }),
  ];
  return createRetrievalAgent({
    ...shared,
    model,
    retriever: { invoke },
    grade: random() < 0.5,
    check: random() < 0.5,
  });
}

/** Asks a question, and runs the turn to its end: with people who decide. Returns the events, run by run. */
export async function runTurn(
  agent: Agent,
  thread: string,
  asked: string,
  random: () => number,
): Promise<TurnEvent[][]> {
  const config = { configurable: { thread_id: thread } };
  const runs: TurnEvent[][] = [];
  let input: AgentInput | null = { messages: asked };
  while (runs.length < 40) {
    const events: TurnEvent[] = [];
    runs.push(events);
    try {
      for await (const event of streamTurn(agent, input, config)) events.push(JSON.parse(JSON.stringify(event)));
    } catch (error) {
      if (events.at(-1)?.type !== "turn-end") throw error;
    }
    const state = await agent.getState(config);
    if (state.next.length === 0) return runs;
    const waiting = state.tasks.flatMap(({ interrupts }) => interrupts);
    if (waiting.length === 0 && random() < 0.3) return runs;
    const requests = approvalRequests(state);
    const resume = waiting.map(({ id = "", value }) => {
      const own = requests.filter((request) => JSON.stringify(value).includes(request.id));
      return [
        id,
        own.length === 0 ? "yes" : Object.fromEntries(own.map((one) => [one.id, pick(["approve", "refuse"], random)])),
      ];
    });
    input = waiting.length > 0 ? new Command({ resume: Object.fromEntries(resume) }) : null;
  }
  throw new Error("The turn has no end.");
}
