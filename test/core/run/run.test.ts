import { once } from "node:events";
import { tool } from "@langchain/core/tools";
import {
  type LangGraphRunnableConfig,
  MemorySaver,
  MessagesValue,
  START,
  StateGraph,
  StateSchema,
} from "@langchain/langgraph";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { emptyGraph } from "../../../src/core/agent.js";
import { runNode } from "../../../src/core/nodes/run-node.js";
import { compileAgent } from "../../../src/graph/compile-agent.js";
import {
  type Agent,
  type AgentOptions,
  calculator,
  createAgent,
  decide,
  type Middleware,
  promptOf,
  streamTurn,
  type TurnEvent,
} from "../../../src/index.js";
import { protocols } from "../../../src/protocols/by-name.js";
import { type ScriptedReply, scriptedModel } from "../../../src/testing/index.js";
import { openThreads } from "../../../src/threads/index.js";
import { allOf, checked } from "../../helpers/turn-events.js";

const thread = { configurable: { thread_id: "t" } };
const schema = z.object({ about: z.string() });
const ask: ScriptedReply = { tool_calls: [{ name: "ask", args: { about: "2 + 2" } }] };
const sum: ScriptedReply = { tool_calls: [{ name: "calculator", args: { expression: "2+2" } }] };

function agentOf(replies: readonly (ScriptedReply | Error)[], options: Partial<AgentOptions> = {}): Agent {
  const model = scriptedModel(replies);
  return createAgent({ model, protocol: "tool-calling", checkpointer: new MemorySaver(), ...options });
}

type Ask = (question: string, config: LangGraphRunnableConfig) => Promise<unknown>;

/** An agent whose tool `ask` does what is given. */
function askingAgent(work: Ask, options: Partial<AgentOptions> = {}): Agent {
  const asking = tool(
    async ({ about }: z.infer<typeof schema>, config: LangGraphRunnableConfig) => work(about, config),
    { name: "ask", description: "Asks.", schema },
  );
  return agentOf([ask, "They say four."], { tools: [asking], ...options });
}

const inner = () => agentOf([sum, "Four."], { tools: [calculator()] });

const teamOf = (agent: Agent) =>
  new StateGraph(new StateSchema({ messages: MessagesValue }))
    .addNode("writer", agent)
    .addEdge(START, "writer")
    .compile();

/** Events as two runs of the same script have them: the ids that were drawn are numbers, and there are no times. */
function comparable(events: readonly TurnEvent[]): unknown[] {
  const drawn = new Map<string, string>();
  const numbered = (id: string) => drawn.get(id) ?? drawn.set(id, `#${drawn.size}`).get(id);
  const text = JSON.stringify(events, (key, value) =>
    /^(?:time|milliseconds|askedAt|at)$/.test(key) ? undefined : value,
  );
  return JSON.parse(text.replace(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\b[0-9a-f]{12,32}\b/g, (id) => `${numbered(id)}`));
}

async function customEvents(agent: Agent, input: Parameters<Agent["stream"]>[0]): Promise<TurnEvent[]> {
  const events: TurnEvent[] = [];
  for await (const chunk of await agent.stream(input, { ...thread, streamMode: "custom" })) events.push(checked(chunk));
  return events;
}

const turnEvents = (agent: Agent, input: Parameters<Agent["stream"]>[0]) => allOf(streamTurn(agent, input, thread));

const question = { messages: "What is 2 + 2?" };

const asks: Middleware = {
  name: "asks",
  wrapModelCall: async (request, handler) => {
    await inner().invoke(question);
    return handler(request);
  },
};

describe("the reader of LangGraph's custom stream and the reader of events see the same", () => {
  it.each<[string, () => Agent, string | undefined]>([
    ["of a turn with a tool", inner, undefined],
    ["of an agent in a tool", () => askingAgent((messages) => inner().invoke({ messages })), "ask"],
    [
      "of one that is streamed there",
      () => askingAgent(async (messages) => (await allOf(streamTurn(inner(), { messages }))).length),
      "ask",
    ],
    ["of one in a graph there", () => askingAgent((messages) => teamOf(inner()).invoke({ messages })), "ask writer"],
    ["of one that a middleware asks", () => agentOf(["Four."], { middleware: [asks] }), "plan"],
  ])("%s", async (_, make, path) => {
    const custom = await customEvents(make(), question);
    expect(comparable(custom)).toEqual(comparable(await turnEvents(make(), question)));
    const paths = new Set(custom.map((event) => event.path.join(" ")));
    expect(paths).toEqual(new Set(path === undefined ? [""] : ["", path]));
  });

  it("of a turn that waits for a person and goes on", async () => {
    const make = () => askingAgent(async () => "four", { approve: "always" });
    const seen = await Promise.all(
      [customEvents, turnEvents].map(async (eventsOf) => {
        const agent = make();
        const first = await eventsOf(agent, question);
        const id = first.flatMap((event) => (event.type === "approval" ? event.requests.map(({ id }) => id) : []))[0];
        return [...first, ...(await eventsOf(agent, decide({ [id ?? ""]: "approve" })))];
      }),
    );
    expect(seen[0]?.at(-1)).toMatchObject({ type: "turn-end", stopReason: "answered" });
    expect(comparable(seen[0] ?? [])).toEqual(comparable(seen[1] ?? []));
  });
});

describe("a run", () => {
  it("of a graph without tracing has its nodes and its stream unchanged", async () => {
    const node = runNode("parse", async () => ({ answer: "Done.", stopReason: "answered" as const }));
    const builder = emptyGraph(undefined).addNode("parse", node).addEdge(START, "parse");
    const graph = compileAgent(builder, { plugins: [] }, {}, 5);
    expect(await graph.invoke({ messages: "Go." })).toMatchObject({ answer: "Done." });
  });

  it("streams the updates of its nodes, with their types", async () => {
    const texts: (string | undefined)[] = [];
    const stream = await agentOf(["Four."]).stream({ messages: "2 + 2?" }, { ...thread, streamMode: "updates" });
    for await (const update of stream)
      texts.push(update["rephrase-question"]?.question?.trim(), update.parse?.answer?.trim());
    expect(texts.filter((text) => text !== undefined)).toEqual(["2 + 2?", "Four."]);
  });

  it("is under one key of its config", async () => {
    let keys: string[] = [];
    const agent = askingAgent(async (_, { configurable }) => {
      keys = Object.keys(configurable ?? {});
      return "four";
    });
    await allOf(streamTurn(agent, question, { ...thread, signal: new AbortController().signal }));
    expect(keys.filter((key) => key.includes("glassloop"))).toEqual(["__glassloop"]);
  });

  it.each(["debug", "checkpoints"] as const)(
    "is not in what a stream of LangGraph writes as JSON: %s",
    async (streamMode) => {
      const chunks: unknown[] = [];
      for await (const chunk of await agentOf(["Four."]).stream(question, { ...thread, streamMode }))
        chunks.push(chunk);
      const written = JSON.stringify(chunks);
      expect(written).toContain('"thread_id":"t"');
      expect(written).not.toContain("__glassloop");
    },
  );

  it.each<[string, (config: LangGraphRunnableConfig) => LangGraphRunnableConfig | undefined]>([
    ["the tool's config", (config) => config],
    ["no config", () => undefined],
    ["only a thread", () => ({ configurable: { thread_id: "own" } })],
  ])("is found by an agent that a tool gives %s", async (_, configFor) => {
    const agent = askingAgent((messages, config) => inner().invoke({ messages }, configFor(config)));
    const events = await allOf(streamTurn(agent, question, thread));
    const start = events.find(({ type, path }) => type === "turn-start" && path.join() === "ask");
    expect(start).toMatchObject({ action: expect.stringMatching(/-1$/) });
    expect(events.at(-1)).toMatchObject({ path: [], usage: { turn: { modelCalls: 4, toolCalls: 2 } } });
  });
});

describe("an agent of another copy of the package", () => {
  let createInOtherCopy: typeof createAgent;
  beforeAll(async () => {
    vi.resetModules();
    ({ createAgent: createInOtherCopy } = await import("../../../src/index.js"));
    expect(createInOtherCopy).not.toBe(createAgent);
  });
  const fromAnotherCopy = (options: Partial<AgentOptions>) =>
    createInOtherCopy({ model: scriptedModel(["Four."]), protocol: "tool-calling", ...options });

  it("uses the threads of this copy", async () => {
    const { checkpointer } = await openThreads("memory:");
    const agent = fromAnotherCopy({ checkpointer });
    expect(await agent.invoke(question, thread)).toMatchObject({ answer: "Four." });
    await agent.updateState(thread, { answer: "4." });
    expect((await agent.getState(thread)).values).toMatchObject({ answer: "4." });
  });

  it.each<[string, (config: LangGraphRunnableConfig) => LangGraphRunnableConfig | undefined]>([
    ["no config", () => undefined],
    ["a config of its own", () => ({ configurable: { own: true } })],
  ])("runs in a tool, with %s, on the thread of the agent there", async (_, configFor) => {
    const { checkpointer } = await openThreads("memory:");
    const inside = fromAnotherCopy({});
    const ask = async (messages: string, config: LangGraphRunnableConfig) =>
      (await inside.invoke({ messages }, configFor(config))).answer;
    const { intermediateSteps } = await askingAgent(ask, { checkpointer }).invoke(question, thread);
    expect(intermediateSteps[0]?.results[0]?.observation).toBe("Four.");
  });

  it("shows this copy its prompts and its runs", async () => {
    const checkpointer = new MemorySaver();
    const protocol = { ...protocols.react, name: "own" };
    const model = scriptedModel([" Easy.\nFinal Answer: Four."]);
    const agent = fromAnotherCopy({ model, protocol, checkpointer });
    const { streamTurn: streamInOtherCopy } = await import("../../../src/index.js");
    const turn = streamInOtherCopy(agent, question, thread);
    await turn.next();
    const joined = await allOf(streamTurn(agent, null, thread));
    expect(joined.at(-1)).toMatchObject({ type: "turn-end", stopReason: "answered" });
    await turn.return(undefined);
    expect(await promptOf(agent, "t")).toMatchObject({ protocol: "own", exact: true });
  });

  it("has an answer that says that a run of this copy interrupted its turn", async () => {
    const { checkpointer } = await openThreads("memory:");
    const next = createAgent({ model: scriptedModel(["Five."]), checkpointer, multitaskStrategy: "interrupt" });
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const interrupting = begun.then(() => next.invoke({ messages: "2 + 3?" }, thread));
    const interrupted = tool(
      async (_, { signal }: LangGraphRunnableConfig) => {
        begin();
        await once(signal ?? new AbortController().signal, "abort");
      },
      { name: "ask", description: "Waits.", schema },
    );
    const agent = fromAnotherCopy({ model: scriptedModel([ask]), tools: [interrupted], checkpointer });
    await expect(agent.invoke(question, thread)).rejects.toThrow("another run");
    const { answer, chatHistory } = await interrupting;
    expect(answer).toBe("Five.");
    expect(chatHistory.turns).toMatchObject([{ question: "What is 2 + 2?", stopReason: "interrupted" }]);
  });
});
