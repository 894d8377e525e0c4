import { interrupt, MemorySaver, RunControl } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import {
  type AgentOptions,
  calculator,
  createAgent,
  loadModel,
  type ModelError,
  streamTurn,
  summary,
  type TurnEvent,
  turnEventSchema,
} from "../../src/index.js";
import { type ScriptedReply, scriptedModel } from "../../src/testing/index.js";
import { type ServerReply, startOpenAIServer } from "../helpers/openai-server.js";
import { bareTool } from "../helpers/tools.js";
import { allOf, event } from "../helpers/turn-events.js";

const thread = { configurable: { thread_id: "t" } };
const sum: ScriptedReply = { content: "I add.", tool_calls: [{ name: "calculator", args: { expression: "2+2" } }] };

function agentWith(replies: readonly ScriptedReply[], options: Partial<AgentOptions> = {}) {
  const usage = { input_tokens: 10, output_tokens: 2, total_tokens: 12 };
  const model = scriptedModel(replies, { usage });
  const saver = new MemorySaver();
  return createAgent({ model, tools: [calculator()], protocol: "tool-calling", checkpointer: saver, ...options });
}

const ask = (agent: ReturnType<typeof agentWith>, messages = "What is 2 + 2?", config = {}) =>
  allOf(streamTurn(agent, { messages }, { ...thread, ...config }));

/** Reads events to the end or up to an error, which is returned with them. */
async function upToError(turn: AsyncIterable<TurnEvent>) {
  const events: TurnEvent[] = [];
  try {
    for await (const told of turn) events.push(turnEventSchema.parse(told));
    return { events };
  } catch (error) {
    return { events, error };
  }
}

const typesOf = (events: readonly TurnEvent[]) =>
  events.map(({ type }) => type).filter((type) => !/-delta$/.test(type));

/** The prompts and the replies among events. */
const shown = (events: readonly TurnEvent[]) =>
  events.flatMap((event) => {
    if (event.type === "prompt") return [[event.purpose, event.messages.at(-1)?.content, event.tools, event.stop]];
    return event.type === "reply" ? [[event.purpose, event.text, event.toolCalls.length]] : [];
  });

it("a reader who asks for prompts gets each prompt and reply of every kind of call, with its purpose and tokens", async () => {
  const memory = summary({ turns: 1 });
  const replies = [sum, "Four.", "And 3 + 3?", "Six.", "They added.", "And 4 + 4?", "Eight."];
  const agent = agentWith(replies, { memory, rephrase: true });
  const inTurn = (messages: string) => allOf(streamTurn(agent, { messages }, thread, { prompts: true }));
  const first = await inTurn("What is 2 + 2?");
  expect(shown(first)).toEqual([
    ["reply", "What is 2 + 2?", ["calculator"], []],
    ["reply", "I add.", 1],
    ["reply", "4", ["calculator"], []],
    ["reply", "Four.", 0],
  ]);
  const prompts = first.flatMap((event) => (event.type === "prompt" ? [event.messages] : []));
  expect(prompts[1]?.slice(1)).toMatchObject([
    { type: "human", content: "What is 2 + 2?" },
    { type: "ai", content: "I add.", toolCalls: [{ name: "calculator", args: { expression: "2+2" } }] },
    { type: "tool", content: "4" },
  ]);
  expect(shown(await inTurn("And of threes?"))).toEqual([
    ["rephrasing", expect.stringContaining("Follow Up Input: And of threes?"), [], []],
    ["rephrasing", "And 3 + 3?", 0],
    ["reply", expect.stringContaining("And 3 + 3?"), ["calculator"], []],
    ["reply", "Six.", 0],
  ]);
  const events = await inTurn("And of fours?");
  expect(shown(events)).toEqual([
    ["summary", expect.stringContaining("Human: What is 2 + 2?"), [], []],
    ["summary", "They added.", 0],
    ["rephrasing", expect.stringContaining("Follow Up Input: And of fours?"), [], []],
    ["rephrasing", "And 4 + 4?", 0],
    ["reply", expect.stringContaining("And 4 + 4?"), ["calculator"], []],
    ["reply", "Eight.", 0],
  ]);
  const ends = events.flatMap((event) => (event.type === "model-end" ? [[event.purpose, event.inputTokens]] : []));
  expect(ends).toEqual(["summary", "rephrasing", "reply"].map((purpose) => [purpose, 10]));
});

describe("a turn", () => {
  it("has a start, its steps and an end, each event with its path", async () => {
    const events = await ask(agentWith([sum, "Four."]));
    expect(events.filter(({ type }) => !/-delta$/.test(type)).map(({ type, step }) => [type, step])).toEqual([
      ["turn-start", 0],
      ["question", 0],
      ["model-start", 1],
      ["model-end", 1],
      ["answer-reset", 1],
      ["thought", 1],
      ["action", 1],
      ["observation", 1],
      ["model-start", 2],
      ["model-end", 2],
      ["answer", 2],
      ["turn-end", 2],
    ]);
    expect(events[0]).toMatchObject({ asked: "What is 2 + 2?", number: 1, resumed: false, thread: "t", path: [] });
    expect(events.at(-1)).toMatchObject({
      stopReason: "answered",
      usage: { turn: { modelCalls: 2, inputTokens: 20, outputTokens: 4, toolCalls: 1 } },
    });
    expect(new Set(events.map(({ turn }) => turn)).size).toBe(1);
  });

  it("has an id of its own, also in a branch that begins at the checkpoint of another one", async () => {
    const agent = agentWith(["Four.", "Four, again."], { rephrase: false });
    const first = await ask(agent);
    const history = [];
    for await (const { config, next } of agent.getStateHistory(thread))
      if (next.includes("rephrase-question")) history.push(config);
    const second = await allOf(streamTurn(agent, null, history.at(-1)));
    expect([first[0], second[0]]).toMatchObject([{ number: 1 }, { number: 1 }]);
    expect(first[0]?.turn).not.toBe(second[0]?.turn);
  });

  it("has a result as soon as its tool returns, before slower ones", async () => {
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const slow = bareTool("slow", () => opened.then(() => "slow"));
    const quick = bareTool("quick", () => "quick");
    const both = { tool_calls: ["slow", "quick"].map((name) => ({ name, args: {} })) };
    const agent = agentWith([both, "Done."], { tools: [slow, quick] });
    const seen: string[] = [];
    for await (const event of streamTurn(agent, { messages: "Go" }, thread)) {
      if (event.type !== "observation") continue;
      seen.push(event.text);
      open();
    }
    expect(seen).toEqual(["quick", "slow"]);
  });
});

describe("a turn that stops", () => {
  it("at an interrupt of a tool has the question", async () => {
    const sure = bareTool("sure", () => interrupt("Sure?"));
    const events = await ask(agentWith([{ tool_calls: [{ name: "sure", args: {} }] }], { tools: [sure] }));
    const { type, value } = events.findLast((event) => event.type === "interrupt") ?? expect.fail();
    expect(events.at(-1)).toMatchObject({ type: "turn-end", stopReason: "waiting", waiting: [{ type, value }] });
  });

  it("at a breakpoint is interrupted", async () => {
    const agent = agentWith([sum, "Four."]);
    const events = await ask(agent, "What is 2 + 2?", { interruptBefore: ["act"] });
    expect(typesOf(events).slice(-2)).toEqual(["action", "turn-end"]);
    expect(events.at(-1)).toMatchObject({ stopReason: "interrupted", usage: { turn: { modelCalls: 1 } } });
    const rest = await allOf(streamTurn(agent, null, thread));
    expect(typesOf(rest).slice(0, 2)).toEqual(["turn-start", "observation"]);
    const { id, tool, toolInput } = events.find((event) => event.type === "action") ?? expect.fail();
    expect(rest[0]).toMatchObject({
      resumed: true,
      actions: [{ id, tool, toolInput }],
      turn: events[0]?.turn,
      step: 1,
    });
  });

  it.each([
    ["drained", "interrupted"],
    ["aborted", "cancelled"],
  ])("because it was %s is %s, without an error event", async (how, stopReason) => {
    const control = new RunControl();
    const aborting = new AbortController();
    const stop = bareTool("stop", () => {
      if (how === "drained") return control.requestDrain("test");
      aborting.abort(new Error("enough"));
      return new Promise<void>(() => {});
    });
    const agent = agentWith([{ tool_calls: [{ name: "stop", args: {} }] }, "Never."], { tools: [stop] });
    const config = { ...thread, control, signal: aborting.signal };
    const { events, error } = await upToError(streamTurn(agent, { messages: "Stop." }, config));
    expect(error).toBeDefined();
    expect(typesOf(events)).not.toContain("error");
    expect(events.at(-1)).toMatchObject({ type: "turn-end", stopReason });
  });

  it("with a model error has its message and its kind, and throws", async () => {
    await using server = await startOpenAIServer([401]);
    const model = await loadModel("openai:m", { baseUrl: server.url, apiKey: "key" });
    const { events, error } = await upToError(streamTurn(agentWith([], { model }), { messages: "Hi" }, thread));
    expect(typesOf(events).slice(-3)).toEqual(["model-end", "error", "turn-end"]);
    const { name, message, kind } = error as ModelError;
    expect(events.at(-2)).toMatchObject({ type: "error", name, message, kind });
    expect(kind).toBe("authentication");
    expect(events.at(-1)).toMatchObject({ stopReason: "failed" });
  });

  it("after its answer, because the checkpoint failed, has one end event only", async () => {
    const saver = new MemorySaver();
    const agent = agentWith(["Four."], { checkpointer: saver });
    const put = saver.put.bind(saver);
    saver.put = async (...args) => {
      if (args[1].channel_values.answer) throw new Error("disk full");
      return put(...args);
    };
    const { events, error } = await upToError(streamTurn(agent, { messages: "2 + 2?" }, thread));
    expect(error).toMatchObject({ message: "disk full" });
    expect(typesOf(events).slice(-3)).toEqual(["answer", "error", "turn-end"]);
    expect(events.at(-1)).toMatchObject({ stopReason: "failed" });
  });

  it("before its start has an error event alone, without a turn", async () => {
    const { events, error } = await upToError(streamTurn(agentWith([]), { messages: [] }, thread));
    expect(events).toMatchObject([{ type: "error", turn: "", step: 0, path: [], name: "InvalidInputError" }]);
    expect(error).toMatchObject({ name: "InvalidInputError" });
  });
});

describe("a retry of a model call", () => {
  async function retried(script: readonly ServerReply[], maxRetries: number) {
    await using server = await startOpenAIServer(script);
    const model = await loadModel("openai:m", { baseUrl: server.url, apiKey: "key", maxRetries });
    const { events } = await upToError(streamTurn(agentWith([], { model, tools: [] }), { messages: "Hi" }, thread));
    return events;
  }

  it("has an event with its number, its reason and its wait", async () => {
    const events = await retried([{ status: 503, message: "busy" }, "Hello."], 2);
    const at = events.findIndex(({ type }) => type === "retry");
    expect(events[at]).toMatchObject({
      attempt: 2,
      why: expect.stringContaining("busy"),
      milliseconds: expect.toSatisfy((wait) => wait >= 1_000 && wait <= 1_250),
      step: 1,
    });
    expect(events.slice(0, at).map(({ type }) => type)).toEqual(["turn-start", "question", "model-start"]);
    expect(events.at(-1)).toMatchObject({ stopReason: "answered" });
  });

  it("has no event when no retry is left", async () => {
    const events = await retried([503], 0);
    expect(events.map(({ type }) => type)).not.toContain("retry");
    expect(events.at(-1)).toMatchObject({ stopReason: "failed" });
  });
});

it("the schema refuses an unknown event", () => {
  const answer = event({ type: "answer", text: "4", stopReason: "answered" });
  expect(turnEventSchema.safeParse({ ...answer, stopReason: "bored" }).success).toBe(false);
  expect(turnEventSchema.safeParse({ ...answer, time: "yesterday" }).success).toBe(false);
  expect(turnEventSchema.safeParse({ ...answer, type: "guess" }).success).toBe(false);
});
