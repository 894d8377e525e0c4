// What a TypeScript project does with Glassloop beside other packages of LangChain. Compiled, never run.
import { ChatAnthropic } from "@langchain/anthropic";
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import {
  Command,
  InMemoryStore,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  MessagesValue,
  START,
  StateGraph,
  StateSchema,
} from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import {
  type Agent,
  type AgentOptions,
  type AgentStateValues,
  calculator,
  createAgent,
  documentSearch,
  type Memory,
  openThreads,
  type Protocol,
  regenerate,
  streamTurn,
  summary,
  type TurnEvent,
  webSearch,
} from "glassloop";
import { buffer } from "glassloop/memory";
import { loadModel } from "glassloop/model";
import { react } from "glassloop/protocols";
import { scriptedModel, transcript } from "glassloop/testing";
import { openThreads as openThreadsToo, type Threads } from "glassloop/threads";
import { calculator as calculatorToo } from "glassloop/tools";
import { createAgent as createLangChainAgent } from "langchain";
import { z } from "zod";

const echo = tool(async ({ text }: { text: string }) => text, {
  name: "echo",
  description: "Says a text again.",
  schema: z.object({ text: z.string() }),
});
const ask = tool(async () => String(interrupt({ question: "Sure?" })), { name: "ask", description: "Asks a person." });

// Models, tools, savers and stores of other packages.
export const threads: Threads = await openThreads("memory:");
export const agent = createAgent({ model: "offline", tools: [calculator(), calculatorToo(), echo, ask] });
export const withOpenAI = createAgent({ model: new ChatOpenAI({ model: "m", apiKey: "k" }), tools: [echo] });
export const withAnthropic = createAgent({ model: new ChatAnthropic({ model: "m", apiKey: "k" }), tools: [echo] });
export const withFake = createAgent({ model: new FakeListChatModel({ responses: ["x"] }), protocol: react() });
export const withLoaded = createAgent({ model: await loadModel("openai:m", { apiKey: "k" }), memory: buffer() });
export const withSaver = createAgent({ model: "offline", checkpointer: new MemorySaver(), store: new InMemoryStore() });
export const withThreads = createAgent({ model: scriptedModel(["x"]), checkpointer: threads.checkpointer });
export const searching = createAgent({
  model: "offline",
  tools: [documentSearch({ folder: "docs" }), webSearch({ provider: "wikipedia" })],
  memory: summary({ model: new ChatOpenAI({ model: "m", apiKey: "k" }) }),
});

// What a run is given, and what it gives.
const thread = { configurable: { thread_id: "t" } };
export const state: AgentStateValues = await agent.invoke(
  { messages: [new SystemMessage("Be kind."), new HumanMessage("x")] },
  thread,
);
export const answer: string | null = state.answer;
export const last: BaseMessage | undefined = state.messages.at(-1);
export const text: string = AIMessage.isInstance(last) ? last.text : transcript(state);
export const resumed = await withSaver.invoke(new Command({ resume: "yes" }), thread);
export const again = await regenerate(withThreads, "t");
export const events: TurnEvent[] = [];
for await (const event of streamTurn(withThreads, { messages: "x" }, thread)) events.push(event);
for await (const [mode, chunk] of await agent.stream({ messages: "x" }, { streamMode: ["updates", "messages"] })) {
  if (mode === "updates") console.log(chunk["rephrase-question"]?.question?.length);
  if (mode === "messages") console.log(chunk[0].text);
}
for await (const chunk of await agent.stream({ messages: "x" }, { streamMode: "values" })) console.log(chunk.answer);

// The types of an agent's output and of its context.
const typed = createAgent({
  model: "offline",
  output: z.object({ city: z.string() }),
  context: z.object({ user: z.string(), role: z.string().default("guest") }),
  checkpointer: threads.checkpointer,
});
export const city: string | undefined = (await regenerate(typed, "t", { context: { user: "Ann" } })).output?.city;
for await (const event of streamTurn(typed, null, { ...thread, context: { user: "Ann" } })) events.push(event);
// @ts-expect-error: it is misspelt.
await typed.invoke({ messages: "x" }, { ...thread, context: { usr: "Ann" } });
export const over = createAgent({ model: "offline", tools: [typed.asTool({ name: "typed", description: "Knows." })] });

// An agent as a node, with our threads and with LangGraph's own.
export const outer = new StateGraph(MessagesAnnotation)
  .addNode("ask", withSaver)
  .addEdge(START, "ask")
  .compile({ checkpointer: (await openThreadsToo("memory:")).checkpointer });
export const outerToo = new StateGraph(new StateSchema({ messages: MessagesValue }))
  .addNode("ask", agent)
  .addEdge(START, "ask")
  .compile({ checkpointer: new MemorySaver() });

// Our tools and threads in LangChain's own agent.
export const langChainAgent = createLangChainAgent({
  model: new ChatOpenAI({ model: "m", apiKey: "k" }),
  tools: [calculator(), documentSearch({ folder: "docs" })],
  checkpointer: threads.checkpointer,
});

// Declarations that other files of a project use.
export class Service {
  readonly agent = createAgent({ model: "offline" });
  constructor(
    readonly options: AgentOptions,
    readonly protocol: Protocol,
    readonly memory: Memory,
  ) {}
}
export async function invoke(given: Agent): Promise<AgentStateValues> {
  return given.invoke({ messages: "x" });
}
