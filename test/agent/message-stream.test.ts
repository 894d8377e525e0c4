import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { AIMessage, AIMessageChunk, type BaseMessage, isBaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { BaseTracer, type Run } from "@langchain/core/tracers/base";
import { MemorySaver, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { type Agent, type AgentOptions, calculator, createAgent, summary } from "../../src/index.js";
import { loadModel } from "../../src/model/models.js";
import { scriptedModel } from "../../src/testing/index.js";
import { type ServerReply, startOpenAIServer } from "../helpers/openai-server.js";
import { wholeMessages } from "../helpers/whole-messages.js";
import { chunk, startWireServer, streamed as wholeStream } from "../helpers/wire-server.js";

const answer = "It is **42**, as six times seven is.";
const turn: readonly ServerReply[] = [
  { text: "I shall work that out.", toolCalls: [{ name: "calculator", args: { expression: "6*7" } }] },
  answer,
];

/** An agent with default options, over an HTTP server that streams these replies. */
async function agentOver(replies: readonly ServerReply[], options: Partial<AgentOptions> = {}): Promise<Agent> {
  const server = await startOpenAIServer(replies);
  onTestFinished(() => server.close());
  const model = await loadModel("openai:test", { baseUrl: server.url, apiKey: "key" });
  return createAgent({ model, tools: [calculator()], ...options });
}

const asTool = (agent: Agent) =>
  tool(async () => (await agent.invoke({ messages: "How much?" })).answer, {
    name: "ask",
    description: "Asks another agent.",
    schema: z.object({}),
  });

const asNode = (agent: Agent) =>
  new StateGraph(new StateSchema({ messages: MessagesValue })).addNode("ask", agent).addEdge(START, "ask").compile();

/** A tracer as LangSmith's, which keeps the text of each model call. */
class RunsOfModels extends BaseTracer {
  readonly name = "runs";
  readonly outputs: string[] = [];

  protected async persistRun(): Promise<void> {}

  override onLLMEnd(run: Run): void {
    this.outputs.push(run.outputs?.generations[0][0].text);
  }
}

interface Streamed {
  readonly namespace: readonly string[];
  readonly message: BaseMessage;
  readonly node: unknown;
}

type Streaming = { stream(input: { messages: string }, config: object): Promise<AsyncIterable<unknown>> };

/** Reads the `messages` stream of a run, with that of all graphs inside of it. */
async function streamed(graph: Streaming, config: object = {}): Promise<Streamed[]> {
  const all: Streamed[] = [];
  const options = { streamMode: "messages", subgraphs: true, ...config };
  const chunk = z.tuple([
    z.array(z.string()),
    z.tuple([z.custom<BaseMessage>(isBaseMessage), z.looseObject({ langgraph_node: z.unknown() })]),
  ]);
  for await (const part of await graph.stream({ messages: "How much?" }, options)) {
    const [namespace, [message, { langgraph_node: node }]] = chunk.parse(part);
    all.push({ namespace, message, node });
  }
  return all;
}

const textsIn = (parts: readonly Streamed[]) =>
  wholeMessages(parts.map(({ message }) => message)).map(({ text }) => text);
const brief = (messages: readonly BaseMessage[]) =>
  messages.map((message) => [message.id, message.text, AIMessage.isInstance(message) ? callsOf(message) : []]);
const callsOf = ({ tool_calls = [] }: Pick<AIMessage, "tool_calls">) =>
  tool_calls.map(({ id, name, args }) => [id, name, args]);

describe("LangGraph's stream of messages, over HTTP and with default options", () => {
  it("has the tokens of each message, which add up to the messages of the state", async () => {
    const agent = await agentOver(turn, { checkpointer: new MemorySaver() });
    const thread = { configurable: { thread_id: "t" } };
    const parts = await streamed(agent, thread);
    const { values } = await agent.getState(thread);
    const messages: BaseMessage[] = values.messages;
    expect(brief(wholeMessages(parts.map(({ message }) => message)))).toEqual(brief(messages.slice(1)));
    for (const said of [messages[1], messages.at(-1)]) {
      const chunks = parts.filter(({ message }) => message.id === said?.id && message.text !== "");
      expect(chunks.length).toBeGreaterThan(3);
      expect(new Set(chunks.map(({ node }) => node))).toEqual(new Set(["plan"]));
    }
  });

  it("has tokens as model events on a server, which makes its older mode of these events, and nowhere else", async () => {
    const chunksIn = async (metadata: Record<string, string>, options: Partial<AgentOptions> = {}) => {
      const agent = await agentOver(turn, { checkpointer: new MemorySaver(), ...options });
      const config = { version: "v2", configurable: { thread_id: "t" }, metadata } as const;
      const chunks: BaseMessage[] = [];
      for await (const { event, data, tags = [] } of agent.streamEvents({ messages: "How much?" }, config)) {
        if (event === "on_chat_model_stream" && !tags.includes("nostream")) chunks.push(data.chunk);
      }
      const messages: BaseMessage[] = (await agent.getState(config)).values.messages;
      return { chunks, messages: messages.filter((message) => AIMessage.isInstance(message)) };
    };
    const { chunks, messages } = await chunksIn({ langgraph_host: "self-hosted" });
    expect(chunks.length).toBeGreaterThan(10);
    expect(brief(wholeMessages(chunks))).toEqual(brief(messages));
    expect((await chunksIn({})).chunks).toEqual([]);
    const held = await chunksIn(
      { langgraph_host: "self-hosted" },
      { middleware: [{ name: "same", afterModel: () => undefined }] },
    );
    expect(held.chunks).toEqual([]);
  });

  it("has tokens in an outer graph, and adds nothing at the end of the agent's node", async () => {
    const graph = asNode(await agentOver(turn, { name: "counter" }));
    const parts = await streamed(graph);
    expect(textsIn(parts)).toEqual(["I shall work that out.", "42", answer]);
    expect(parts.every(({ namespace }) => namespace.length > 0)).toBe(true);
  });

  it("has the messages of an agent in a tool in a namespace of their own", async () => {
    const tools = [asTool(await agentOver(turn))];
    const parts = await streamed(await agentOver([{ toolCalls: [{ name: "ask", args: {} }] }, "Done."], { tools }));
    expect(textsIn(parts)).toEqual(["", "I shall work that out.", "42", answer, answer, "Done."]);
    const whole = wholeMessages(parts.map(({ message }) => message));
    const namespaceOf = (text: string) => {
      const id = whole.find((message) => message.text === text)?.id;
      return parts.find(({ message }) => message.id === id)?.namespace.join();
    };
    expect(namespaceOf("42")).toBeDefined();
    expect(namespaceOf("42")).not.toBe(namespaceOf("Done."));
  });

  it("has the answer in chunks in a text protocol, without labels and thoughts", async () => {
    const replies = [
      " I work it out\nAction: calculator\nAction Input: 6*7",
      " I know\nFinal Answer: It is 42, surely.",
    ];
    const parts = await streamed(await agentOver(replies, { protocol: "react" }));
    const answers = parts.filter(({ message }) => AIMessageChunk.isInstance(message));
    expect(answers.length).toBeGreaterThan(2);
    expect(answers.map(({ message }) => message.text).join("")).toBe("It is 42, surely.");
    expect(new Set(answers.map(({ message }) => message.id)).size).toBe(1);
  });

  it("has no rephrased question, summary or correction", async () => {
    const replies = [
      ...["First answer.", "What is the second?", { text: " " }, "Second answer."],
      ...["A summary.", "What is the third?", "Third answer."],
    ];
    const options = { rephrase: true, memory: summary({ turns: 1 }), checkpointer: new MemorySaver() };
    const agent = await agentOver(replies, options);
    const thread = { configurable: { thread_id: "t" } };
    const turns = [await streamed(agent, thread), await streamed(agent, thread), await streamed(agent, thread)];
    expect(textsIn(turns.flat())).toEqual(["First answer.", "Second answer.", "Third answer."]);
    const { values } = await agent.getState(thread);
    expect(values).toMatchObject({ question: "What is the third?", chatHistory: { summary: "A summary." } });
  });

  it("has the calls of a server that names no role", async () => {
    const call = { index: 0, id: "c", function: { name: "calculator", arguments: '{"expression": "6*7"}' } };
    const pieces = [{ content: "I work" }, { content: " it out." }, { tool_calls: [call] }];
    const calling = { body: pieces.map((piece) => chunk(piece)).join("") + chunk({}, "tool_calls") };
    await using wire = await startWireServer([calling, wholeStream("It is 42.")]);
    const model = await loadModel("openai:test-model", { baseUrl: wire.url, apiKey: "key" });
    const parts = await streamed(createAgent({ model, tools: [calculator()] }));
    expect(textsIn(parts)).toEqual(["I work it out.", "42", "It is 42."]);
  });

  it("has the whole message in a run that resumes after the model call", async () => {
    const agent = await agentOver(turn, { checkpointer: new MemorySaver() });
    const thread = { configurable: { thread_id: "t" } };
    await agent.invoke({ messages: "How much?" }, { ...thread, interruptBefore: ["parse"] });
    const messages: BaseMessage[] = [];
    for await (const [message] of await agent.stream(null, { ...thread, streamMode: "messages" }))
      messages.push(message);
    const { values } = await agent.getState(thread);
    expect(brief(wholeMessages(messages))).toEqual(brief(values.messages.slice(1)));
  });

  it("adds no model call and no chunk for callbacks and tracers", async () => {
    const seen: string[] = [];
    const handler = BaseCallbackHandler.fromMethods({
      handleChatModelStart: () => void seen.push("start"),
      handleLLMEnd: () => void seen.push("end"),
      handleAgentAction: ({ tool: name }) => void seen.push(`action ${name}`),
      handleAgentEnd: ({ returnValues }) => void seen.push(`finish ${returnValues.output}`),
    });
    const agent = await agentOver(turn);
    const tracer = new RunsOfModels();
    const parts = await streamed(agent, { callbacks: [handler, tracer] });
    expect(tracer.outputs).toEqual(["I shall work that out.", answer]);
    expect(wholeMessages(parts.map(({ message }) => message))).toHaveLength(3);
    expect(seen).toEqual(["start", "end", "action calculator", "start", "end", `finish ${answer}`]);
  });
});

it("streamEvents shows the model's tokens once in v2, and whole messages in v3", async () => {
  const make = () => createAgent({ model: scriptedModel(["It is forty two."]), tools: [calculator()] });
  const tokens: string[] = [];
  for await (const { event, data } of make().streamEvents({ messages: "q" }, { version: "v2" }))
    if (event === "on_chat_model_stream") tokens.push(data.chunk.text);
  expect(tokens.join("")).toBe("It is forty two.");
  const run = await make().streamEvents({ messages: "q" }, { version: "v3" });
  const texts: string[] = [];
  for await (const message of run.messages) {
    let text = "";
    for await (const token of message.text) text += token;
    texts.push(text);
  }
  expect(texts).toEqual(["It is forty two."]);
});
