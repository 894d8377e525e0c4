import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  type AgentOptions,
  buffer,
  calculator,
  createAgent,
  openThreads,
  type Reply,
  streamTurn,
  summary,
} from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { allOf, stepsIn } from "../helpers/turn-events.js";
import { chunk, startWireServer, streamed, type WireResponse, type WireServer, whole } from "../helpers/wire-server.js";

const thread = { configurable: { thread_id: "1" } };
const words = "I'm sorry, but I can't assist with that request.";

const streamedRefusal: WireResponse = {
  body: [
    chunk({ role: "assistant", content: "", refusal: null }),
    ...words.split(/(?<= )/).map((refusal) => chunk({ refusal })),
    chunk({}, "stop"),
    'data: {"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":9,"total_tokens":12}}\n\n',
    "data: [DONE]\n\n",
  ].join(""),
};

function modelOf(server: WireServer, disableStreaming = false) {
  return new ChatOpenAI({ model: "m", apiKey: "none", disableStreaming, configuration: { baseURL: server.url } });
}

const cutCall = {
  content: null,
  tool_calls: [{ id: "c", type: "function", function: { name: "calculator", arguments: '{"expr' } }],
};

/** Asks a question. `later` asks another one. */
async function turnOver(responses: readonly WireResponse[], protocol: "tool-calling" | "react" = "tool-calling") {
  await using server = await startWireServer(responses);
  const model = modelOf(server, responses[0]?.body.startsWith("{"));
  const options = { tools: [calculator()], protocol, rephrase: false, checkpointer: new MemorySaver() };
  const agent = createAgent({ model, ...options });
  const events = await allOf(streamTurn(agent, { messages: "Well?" }, thread));
  const { values, next } = await agent.getState(thread);
  expect(next).toEqual([]);
  return { events, values, last: stepsIn(events).at(-1), requests: server.requests, later: () => later(options) };
}

/** Asks a thread another question. Returns the turns before it, and the prompt. */
async function later(options: Omit<AgentOptions, "model">) {
  const model = scriptedModel(["Final Answer: Go on."]);
  const { chatHistory } = await createAgent({ model, ...options }).invoke({ messages: "And?" }, thread);
  return { turns: chatHistory.turns, prompt: model.calls[0]?.prompt };
}

describe("a refusal", () => {
  it.each([
    ["in a stream", streamedRefusal],
    ["in a stream with other line ends", { body: streamedRefusal.body.replaceAll("\n\n", "\r\n\r\n") }],
    ["in a whole reply", whole({ content: null, refusal: words })],
  ])("%s is the answer, with a stop reason of its own, and is not asked again", async (_form, response) => {
    const { last, values, requests, later } = await turnOver([response]);
    expect(last).toMatchObject({ type: "answer", text: words, stopReason: "refused" });
    expect(values).toMatchObject({ answer: words, stopReason: "refused", intermediateSteps: [] });
    expect(values.usage.turn.outputTokens).toBeGreaterThan(0);
    expect(requests).toHaveLength(1);
    const { turns, prompt } = await later();
    expect(turns).toMatchObject([{ answer: words, stopReason: "refused" }]);
    expect(prompt).toContain(`Well?\n${words}\nAnd?`);
  });

  it("is recognised in a JSON reply to a request for a stream, and in a text protocol", async () => {
    await using server = await startWireServer([whole({ content: null, refusal: words })]);
    const state = await createAgent({ model: modelOf(server), protocol: "react" }).invoke({ messages: "Well?" });
    expect(state).toMatchObject({ answer: words, stopReason: "refused" });
    expect(server.requests).toMatchObject([{ stream: true }]);
  });

  it("is not a text that only mentions one", async () => {
    const text = 'The field "refusal":"x" is null.';
    const { last } = await turnOver([streamed(text)]);
    expect(last).toMatchObject({ text, stopReason: "answered" });
  });

  it("without words says so", async () => {
    const message = { content: "", response_metadata: { stop_reason: "refusal" } };
    const state = await createAgent({ model: scriptedModel([message]) }).invoke({ messages: "Well?" });
    expect(state).toMatchObject({ answer: "The model refused to answer.", stopReason: "refused" });
  });

  it("of a request to rephrase or to summarize becomes no question and no summary", async () => {
    const refusal = whole({ content: null, refusal: words });
    await using server = await startWireServer([streamed("4"), refusal, streamed("6")]);
    const model = modelOf(server);
    const agent = createAgent({ model, memory: buffer(), rephrase: true, checkpointer: new MemorySaver() });
    await agent.invoke({ messages: "What is 2 + 2?" }, thread);
    const second = await agent.invoke({ messages: "And 3 + 3?" }, thread);
    expect(second).toMatchObject({ question: "And 3 + 3?", answer: "6" });
    await using refusing = await startWireServer([refusal]);
    const summed = createAgent({
      model: scriptedModel(["one", "two", "three"]),
      memory: summary({ model: modelOf(refusing), turns: 1 }),
      rephrase: false,
      checkpointer: new MemorySaver(),
    });
    for (const messages of ["1?", "2?", "3?"]) {
      expect(JSON.stringify((await summed.invoke({ messages }, thread)).chatHistory)).not.toContain("sorry");
    }
    expect(refusing.requests.length).toBeGreaterThan(0);
  });
});

describe("a reply that the token limit cuts off", () => {
  it.each([
    ["tool-calling", streamed("The capital of France is Par", "length"), "The capital of France is Par"],
    ["tool-calling", whole({ content: "The capital of France is Par" }, "length"), "The capital of France is Par"],
    ["react", streamed(" I know.\nFinal Answer: The capital is Par", "length"), "The capital is Par"],
  ] as const)(
    "in the middle of an answer gives the cut answer, without a retry: %s",
    async (protocol, response, text) => {
      const { last, requests, later } = await turnOver([response], protocol);
      expect(last).toMatchObject({ type: "answer", text, stopReason: "length" });
      expect(requests).toHaveLength(1);
      const { turns, prompt } = await later();
      expect(turns).toMatchObject([{ answer: text, stopReason: "length" }]);
      expect(prompt).toContain(text);
    },
  );

  it.each([
    ["react", streamed(" I look.\nAction: calculator\nAction Input: (2 +", "length"), " I know.\nFinal Answer: 4"],
    ["react", streamed(" I think that I", "length"), " I know.\nFinal Answer: 4"],
    ["tool-calling", whole(cutCall, "length"), "4"],
  ] as const)("in the middle of an action is requested again, shorter: %s", async (protocol, cut, answer) => {
    const again = cut.body.startsWith("{") ? whole({ content: answer }) : streamed(answer);
    const { values, requests } = await turnOver([cut, again], protocol);
    expect(values).toMatchObject({ answer: "4", stopReason: "answered" });
    expect(requests).toHaveLength(2);
    expect(JSON.stringify(requests[1])).toContain("shorter");
  });

  it.each([
    ["Google's", { finishReason: "MAX_TOKENS" }],
    ["Anthropic's", { stop_reason: "max_tokens" }],
    ["Ollama's", { done_reason: "length" }],
  ])("is recognised by %s finish reason", async (_provider, response_metadata) => {
    const model = scriptedModel([{ content: "The capital is Par", response_metadata }]);
    expect(await createAgent({ model }).invoke({ messages: "Well?" })).toMatchObject({ stopReason: "length" });
  });
});

describe("a reply that a content filter stops", () => {
  it.each([
    ["a part of an answer", streamed("The way to", "content_filter"), "The way to"],
    ["nothing", streamed("", "content_filter"), "the content filter of the model's provider stopped its reply"],
    ["a part of an action", whole(cutCall, "content_filter"), "content filter"],
  ])("after %s ends the turn with this reason, without a retry", async (_part, response, text) => {
    const { last, values, requests, later } = await turnOver([response]);
    expect(last).toMatchObject({ type: "answer", stopReason: "filtered", text: expect.stringContaining(text) });
    expect(requests).toHaveLength(1);
    const { turns, prompt } = await later();
    expect(turns).toMatchObject([{ answer: values.answer, stopReason: "filtered" }]);
    expect(prompt).toContain(`Well?\n${values.answer}\nAnd?`);
  });

  it("of Azure has no message, in a whole reply and in a stream", async () => {
    const choices = [{ content_filter_results: {}, finish_reason: "content_filter", index: 0 }];
    const body = JSON.stringify({ choices });
    for (const disableStreaming of [false, true]) {
      await using server = await startWireServer([{ body }]);
      const state = await createAgent({ model: modelOf(server, disableStreaming) }).invoke({ messages: "Well?" });
      expect(state.stopReason).toBe("filtered");
    }
  });
});

describe("an invalid reply that the server reports as an error", () => {
  const slip = {
    message: "parameters for tool calculator did not match schema: errors: [`/expression`: expected string]",
    type: "invalid_request_error",
    code: "tool_use_failed",
  };

  it.each<[string, WireResponse]>([
    ["with its words", { status: 400, body: JSON.stringify({ error: slip }) }],
    ["with an empty text", { status: 400, body: JSON.stringify({ error: { ...slip, failed_generation: "" } }) }],
    ["inside a stream", { body: `${chunk({ content: "" })}data: ${JSON.stringify({ error: slip })}\n\n` }],
  ])("%s is corrected with the server's words, and tools stay", async (_form, response) => {
    await using server = await startWireServer([response, streamed("4"), streamed("5")]);
    const agent = createAgent({ model: modelOf(server), tools: [calculator()] });
    expect((await agent.invoke({ messages: "Well?" })).answer).toBe("4");
    expect((await agent.invoke({ messages: "Well?" })).answer).toBe("5");
    expect(server.requests.map(({ tools }) => tools?.length)).toEqual([1, 1, 1]);
    expect(JSON.stringify(server.requests[1])).toContain("expected string");
  });

  it("is not repeated for ever", async () => {
    const { values, requests } = await turnOver([{ status: 400, body: JSON.stringify({ error: slip }) }]);
    expect(values.stopReason).toBe("unreadable");
    expect(requests).toHaveLength(4);
  });
});

const call = (id: string) => ({ id, type: "function", function: { name: "pay", arguments: '{"to":"Ann"}' } });
const payment = (finishReason: string, ids = ["c1"]): WireResponse => ({
  body: `${chunk({ role: "assistant", tool_calls: ids.map((id, index) => ({ ...call(id), index })) })}${chunk({}, finishReason)}`,
});

/** Asks an agent with a tool that pays. */
async function payAt(responses: readonly WireResponse[], effects: boolean, options: Partial<AgentOptions> = {}) {
  await using server = await startWireServer(responses);
  const paid: unknown[] = [];
  const pay = tool((input) => `${paid.push(input)} paid`, {
    name: "pay",
    description: "Pays.",
    schema: z.object({ to: z.string() }),
    metadata: { effects },
  });
  const agent = createAgent({ model: modelOf(server), tools: [pay], ...options });
  const events = await allOf(streamTurn(agent, { messages: "Pay Ann." }, thread));
  return { paid, events, types: events.map(({ type }) => type), requests: JSON.stringify(server.requests) };
}

describe("a reply whose finish reason nobody knows", () => {
  it("is an answer if it has no call", async () => {
    const { last, values, requests } = await turnOver([streamed("It is 4.", "natural")]);
    expect(last).toMatchObject({ text: "It is 4.", stopReason: "answered" });
    expect(values.reply?.finishReason).toBe("natural");
    expect(requests).toHaveLength(1);
  });

  it("is asked for once more if it has a call, which is then made", async () => {
    const { paid, events } = await payAt([payment("natural"), payment("natural"), streamed("Paid.", "natural")], false);
    expect(paid).toEqual([{ to: "Ann" }]);
    expect(events.find(({ type }) => type === "correction")).toMatchObject({
      text: expect.stringContaining('"natural"'),
    });
    expect(events.at(-1)).toMatchObject({ stopReason: "answered" });
  });

  it("has no effect: its call is refused with the word, or a person is asked about the call", async () => {
    const responses = [payment("natural"), payment("natural"), streamed("Not paid.")];
    const refused = await payAt(responses, true);
    expect(refused.paid).toEqual([]);
    expect(refused.requests).toContain("pay was not run. The server ended the reply with the finish reason");
    const asked = await payAt(responses, true, { checkpointer: new MemorySaver(), approve: () => false });
    expect(asked.paid).toEqual([]);
    expect(asked.events.find(({ type }) => type === "approval")).toMatchObject({
      requests: [{ tool: "pay", why: expect.stringContaining("natural") }],
    });
  });
});

describe("a stream that is not whole", () => {
  const half = chunk({ role: "assistant", content: "Half an ans" });
  const halfCall = chunk({ tool_calls: [{ index: 0, id: "c1", function: { name: "pay", arguments: '{"to":"An' } }] });

  it.each([
    ["ends inside an event", { body: half + half.slice(0, 40) }],
    ["ends inside a call", { body: half + halfCall }],
    ["failed at its server", { body: half + chunk({}, "network_error") }],
  ])("is asked for again, without a correction, if it %s", async (_, response) => {
    const { types, paid, events } = await payAt([response, streamed("Whole.")], true);
    expect(types.filter((type) => ["retry", "answer-reset", "correction"].includes(type))).toEqual([
      "answer-reset",
      "retry",
    ]);
    expect(paid).toEqual([]);
    expect(events.at(-1)).toMatchObject({ stopReason: "answered", usage: { turn: { modelCalls: 2 } } });
  });

  it("is corrected if the server ended it inside the arguments of a call", async () => {
    const { paid, types } = await payAt([{ body: halfCall + chunk({}, "tool_calls") }, streamed("Well.")], true);
    expect(paid).toEqual([]);
    expect(types).toContain("correction");
  });

  it.each([
    { error_type: "invalid_request", error_message: "The words." },
    { object: "error", message: "The words.", code: 400 },
    { detail: "The words." },
    { type: "response.failed", response: { error: { message: "The words." } } },
  ])("has the server's error in %j", async (error) => {
    const failing = payAt([{ body: `data: ${JSON.stringify(error)}\n\n` }], true, { modelCalls: { maxRetries: 0 } });
    await expect(failing).rejects.toMatchObject({ name: "ModelError", message: expect.stringContaining("The words.") });
  });

  it("has no error if unknown fields stand beside its choices", async () => {
    const body = chunk({ role: "assistant", content: "Fine." }).replace('"id":', '"message":"note","detail":"x","id":');
    const { last } = await turnOver([{ body: body + chunk({}, "stop") }]);
    expect(last).toMatchObject({ text: "Fine.", stopReason: "answered" });
  });
});

describe("an answer in a protocol of one's own", () => {
  const own = {
    name: "own",
    render: ({ question }: { readonly question: string }) => [new HumanMessage(question)],
    parse: (reply: Reply | string) => {
      const text = typeof reply === "string" ? reply : reply.text;
      return { kind: "finish" as const, output: /<answer>(.*?)(?:<|$)/.exec(text)?.[1] ?? text };
    },
  };

  it.each([
    ["is whole if the reply is", "It is 324", "stop", "answered"],
    ["is cut with its reply", "It is 3 ", "length", "length"],
    ["is filtered with its reply", "<answer>It is 3", "content_filter", "filtered"],
    ["is whole if the reply was cut after it", "<answer>It is 324</answer> And I", "length", "answered"],
  ])("%s", async (_, content, finish_reason, stopReason) => {
    const model = scriptedModel([{ content, response_metadata: { finish_reason } }]);
    expect(await createAgent({ model, protocol: own }).invoke({ messages: "How high?" })).toMatchObject({ stopReason });
  });

  it("is complete if it is the whole output", async () => {
    const model = scriptedModel([{ content: '{"metres":324}', response_metadata: { finish_reason: "length" } }]);
    const agent = createAgent({ model, protocol: own, output: z.object({ metres: z.number() }) });
    const state = await agent.invoke({ messages: "How high?" });
    expect(state).toMatchObject({ stopReason: "answered", output: { metres: 324 } });
  });
});

it("a copied thread keeps how a turn ended", async () => {
  await using server = await startWireServer([streamed("The capital is Par", "length"), streamed("Go on.")]);
  await using from = await openThreads("memory:");
  await using to = await openThreads("memory:");
  const agentOn = ({ checkpointer }: typeof from) =>
    createAgent({ model: modelOf(server), rephrase: false, checkpointer });
  await agentOn(from).invoke({ messages: "Well?" }, thread);
  await from.copy("1", to);
  const { answer, chatHistory } = await agentOn(to).invoke({ messages: "And?" }, thread);
  expect(answer).toBe("Go on.");
  expect(chatHistory.turns[0]).toMatchObject({ answer: "The capital is Par", stopReason: "length" });
});
