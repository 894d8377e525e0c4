import { Document } from "@langchain/core/documents";
import { tool } from "@langchain/core/tools";
import { Command } from "@langchain/langgraph";
import { z } from "zod";
import {
  type AgentInput,
  approvalRequests,
  createAgent,
  createRetrievalAgent,
  streamTurn,
  type TurnEvent,
  type WholeTurn,
} from "../../../src/index.js";
import { type ScriptedReply, scriptedModel } from "../../../src/testing/index.js";
import { openThreads } from "../../../src/threads/open.js";
import { pick, randomFrom } from "../../helpers/random.js";
import { dialects } from "../../matrix/dialects.js";
import { at } from "../open-kind.js";

const toolNames = ["look", "pay", "fail", "delegate"] as const;
const retriever = { invoke: async (query: string) => [new Document({ pageContent: `About ${query}` })] };

/** Makes an agent that does random things: calls of tools, of which one runs an agent, replies that cannot be read, answers. */
function randomAgent(random: () => number, { checkpointer }: Awaited<ReturnType<typeof openThreads>>) {
  const { protocol, act, answer, unreadable, oneTool } = pick(dialects, random);
  let number = 0;
  const reply = (): ScriptedReply => {
    number += 1;
    const drawn = random();
    if (drawn < 0.1) return unreadable;
    return drawn < 0.6
      ? act(oneTool ? "look" : pick(toolNames, random), `input ${number}`)
      : answer(`Answer ${number}.`);
  };
  const replies = Array.from({ length: 60 }, () => reply);
  const inner = createAgent({
    model: scriptedModel(Array.from({ length: 60 }, () => "Inner.")),
    protocol: "tool-calling",
  });
  const run = {
    look: async (input: string) => `Seen: ${input}`,
    pay: async (input: string) => `Paid: ${input}`,
    fail: async (input: string) => Promise.reject(new Error(`No ${input}.`)),
    delegate: async (messages: string) => (await inner.invoke({ messages })).answer ?? "",
  };
  const tools = (oneTool ? (["look"] as const) : toolNames).map((name) =>
    tool(({ input }) => run[name](input), {
      ...{ name, description: name, schema: z.object({ input: z.string() }) },
      ...(name === "pay" && { metadata: { approve: true, effects: true } }),
    }),
  );
  const shared = { rephrase: false, checkpointer };
  if (random() < 0.2) {
    const model = scriptedModel(Array.from({ length: 60 }, (_, n) => `Found ${n}.`));
    return createRetrievalAgent({ ...shared, model, retriever });
  }
  return createAgent({ ...shared, model: scriptedModel(replies), tools, protocol });
}

/** An event, and the time at which it was read. */
type Read = TurnEvent & { readonly readAt: number };

/** Runs a turn to its end: with people who decide, and with stops. Returns its events, and whether it was stopped. */
async function eventsOf(
  agent: ReturnType<typeof randomAgent>,
  thread: string,
  asked: string,
  random: () => number,
  mayStop: boolean,
) {
  const events: Read[] = [];
  let isStopped = false;
  let input: AgentInput | null = { messages: asked };
  for (let runs = 0; runs < 40; runs += 1) {
    let left = mayStop && random() < 0.2 ? 1 + Math.floor(random() * 15) : Number.POSITIVE_INFINITY;
    for await (const event of streamTurn(agent, input, at(thread))) {
      events.push({ ...event, readAt: Date.now() });
      left -= 1;
      isStopped ||= left <= 0;
      if (left <= 0) break;
    }
    const state = await agent.getState(at(thread));
    if (state.next.length === 0) return { events, isStopped };
    const decided = approvalRequests(state).map(({ id }) => [id, pick(["approve", "refuse"], random)]);
    input = decided.length > 0 ? new Command({ resume: Object.fromEntries(decided) }) : null;
  }
  throw new Error("The turn has no end.");
}

/** What the events of a turn said, in the form in which the thread tells it. */
function saidBy(events: readonly Read[], isStopped: boolean) {
  const own = events.filter(({ path }) => path.length === 0);
  const of = <Type extends TurnEvent["type"]>(type: Type) =>
    own.filter((event): event is Extract<Read, { readonly type: Type }> => event.type === type);
  // After a stop a node says again what it said.
  const byId = <One extends { readonly id: string }>(all: readonly One[]) => [
    ...new Map(all.map((one) => [one.id, one])).values(),
  ];
  const end = of("turn-end").at(-1);
  return {
    number: of("turn-start")[0]?.number,
    asked: of("turn-start")[0]?.asked,
    answer: of("answer").at(-1)?.text,
    stopReason: of("answer").at(-1)?.stopReason,
    usage: end?.usage.turn,
    actions: byId(of("action")).map(({ id, tool, toolInput }) => ({ id, tool, toolInput })),
    results: byId(of("observation"))
      .map(({ id, text, status }) => ({ id, text, status }))
      .sort(byText),
    decisions: byId(of("decision"))
      .map(({ id, decision }) => ({ id, decision }))
      .sort(byText),
    ...(!isStopped && {
      deltas: own
        .slice(own.findLastIndex(({ type }) => type === "answer-reset") + 1)
        .map((event) => (event.type === "answer-delta" ? event.text : ""))
        .join(""),
      corrections: of("correction").length,
      searched: of("search").map(({ retriever, query, found }) => ({ retriever, query, found })),
      quiet: of("model-start").flatMap(({ purpose }) => (purpose === "reply" ? [] : [purpose])),
    }),
  };
}

const byText = (a: { readonly id: string }, b: { readonly id: string }) => (a.id < b.id ? -1 : 1);

/** What a thread tells of a turn, in the same form. */
function toldBy(turn: WholeTurn, isStopped: boolean) {
  const { number, asked, answer, stopReason, usage, steps, retrieval, quietCalls } = turn;
  const results = steps.flatMap((step) => step.results);
  return {
    ...{ number, asked, answer, stopReason, usage },
    actions: steps.flatMap(({ decision }) =>
      decision?.kind === "action" ? decision.actions.map(({ id, tool, toolInput }) => ({ id, tool, toolInput })) : [],
    ),
    results: results.map(({ action, observation: text, status }) => ({ id: action.id, text, status })).sort(byText),
    decisions: results.flatMap(({ action, decision }) => (decision ? [{ id: action.id, decision }] : [])).sort(byText),
    ...(!isStopped && {
      deltas: answer,
      corrections: steps.filter(({ decision }) => decision?.kind === "unparseable").length,
      searched: (retrieval?.searched ?? []).map(({ retriever, query, found }) => ({ retriever, query, found })),
      quiet: quietCalls.map(({ purpose }) => purpose),
    }),
  };
}

/** The calls whose times do not fit to when their events were read: a call has ended when its result is told. */
function misplaced({ steps }: WholeTurn, events: readonly Read[]): string[] {
  return steps.flatMap(({ results }) =>
    results.flatMap(({ action, times }) => {
      // A call without effects may be made again after a stop.
      const told = events.findLast((event) => event.type === "observation" && event.id === action.id)?.readAt;
      const began = events[0]?.readAt;
      if (times === undefined || told === undefined || began === undefined) return [];
      const ended = Date.parse(times.at) + (times.ms ?? 0);
      return Date.parse(times.at) >= began - 5 && ended <= told + 5 ? [] : [`${action.id}: ${times.at}, ${times.ms}`];
    }),
  );
}

/** Runs random turns, and compares what their events said with what their threads tell. */
export async function compareTurns(
  first: number,
  count: number,
  mayStop: boolean,
): Promise<{ said: unknown[]; told: unknown[]; stopped: number }> {
  await using threads = await openThreads("memory:");
  const [said, told]: [unknown[], unknown[]] = [[], []];
  let stopped = 0;
  for (let seed = first; said.length < count; seed += 1) {
    const random = randomFrom(seed);
    const agent = randomAgent(random, threads);
    for (let number = 1; number <= 3 && said.length < count; number += 1) {
      const { events, isStopped } = await eventsOf(agent, `t${seed}`, `Question ${number}`, random, mayStop);
      const [turn] = (await threads.turns(`t${seed}`, { limit: 1 })).turns;
      const whole = turn && (await threads.turn(`t${seed}`, turn.number));
      if (isStopped) stopped += 1;
      said.push({ seed, misplaced: [], ...saidBy(events, isStopped) });
      told.push({
        seed,
        misplaced: whole && mayStop ? misplaced(whole, events) : [],
        ...(whole && toldBy(whole, isStopped)),
      });
    }
  }
  return { said, told, stopped };
}
