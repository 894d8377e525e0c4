import { type BaseMessage, type BaseMessageLike, HumanMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { type DynamicStructuredTool, tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { z } from "zod";
import {
  type Agent,
  type AgentOptions,
  createAgent,
  type ModelPrompt,
  openThreads,
  promptsOf,
  streamTurn,
  type Threads,
  type TurnEvent,
} from "../../../src/index.js";
import { type Line, openLine, type Sent, type Way } from "../../helpers/lines.js";
import { plain } from "../../helpers/recording-model.js";
import type { TestDatabaseKind } from "../../matrix/databases.js";
import { allOf } from "../../threads/open-kind.js";

/** A conversation to hold with a model: its replies, what the tool gives, and what is asked in each turn. */
export interface Talk {
  readonly line: Way;
  readonly questions?: readonly (string | BaseMessageLike[])[];
  readonly tools?: readonly DynamicStructuredTool[];
  readonly options?: Partial<AgentOptions>;
}

/** What is known of a conversation when it has been held. */
export interface Held {
  /** The messages of each model call of each turn. */
  readonly sent: Sent[][][];
  /** `messages` at the end, as plain data without ids. */
  readonly messages: Sent[];
  readonly answers: (string | null)[];
}

export interface HeldByUs extends Held {
  /** The messages of each model call, with the system messages. */
  readonly whole: Sent[][];
  /** The state at the end, as plain data. */
  readonly state: Sent;
  readonly events: TurnEvent[];
  readonly prompts: ModelPrompt[];
  /** The values in the lines of the exported thread. */
  readonly exported: string;
}

const schema = z.object({ q: z.string().optional() });

/** A tool that returns a value, or what a function makes. */
export function look(result: unknown = "5"): DynamicStructuredTool {
  const give = async (input: object) => (typeof result === "function" ? result(input) : result);
  return tool(give, { name: "look", description: "Looks.", schema });
}

const lineSchema = z.object({ body: z.string().default(""), content: z.string().default("") });
const asked = ["How many?", "And in French?"];
const instructions = "Be kind.";
const thread = { configurable: { thread_id: "t" } };
const inputOf = (question: string | BaseMessageLike[]) => ({
  messages: typeof question === "string" ? [new HumanMessage(question)] : question,
});

/** Holds a conversation with LangGraph's prebuilt agent. */
export async function heldByPrebuilt({ line: way, questions = asked, tools = [look()] }: Talk): Promise<Held> {
  await using line = await openLine(way);
  const agent = createReactAgent({
    llm: line.model,
    tools: [...tools],
    prompt: instructions,
    checkpointer: new MemorySaver(),
  });
  const sent: Sent[][][] = [];
  const answers: string[] = [];
  let messages: Sent[] = [];
  for (const question of questions) {
    const before = line.sent().length;
    // LangGraph lets a model stream only if somebody reads its messages.
    for await (const _ of await agent.stream(inputOf(question), { ...thread, streamMode: "messages" }));
    sent.push(line.sent().slice(before));
    const { values } = await agent.getState(thread);
    messages = z.array(z.custom<BaseMessage>()).parse(values.messages).map(plain);
    answers.push(z.array(z.custom<BaseMessage>()).parse(values.messages).at(-1)?.text ?? "");
  }
  return { sent, messages, answers };
}

function agentOn({ model }: Line, { checkpointer }: Threads, options: Partial<AgentOptions>): Agent {
  return createAgent({
    ...{ model, instructions, rephrase: false, modelCalls: { maxRetries: 0 }, checkpointer },
    ...options,
  });
}

/** Holds a conversation with our agent. */
export async function heldByUs({ questions = asked, ...more }: Talk): Promise<HeldByUs> {
  await using talk = await openTalk(more);
  const { agent, line, threads, events } = talk;
  const sent: Sent[][][] = [];
  const answers: (string | null)[] = [];
  for (const question of questions) {
    sent.push(await talk.ask(question));
    answers.push((await agent.getState(thread)).values.answer);
  }
  const { values } = await agent.getState(thread);
  const prompts: ModelPrompt[] = [];
  for await (const prompt of promptsOf(agent, "t")) prompts.push(prompt);
  const lines = z.array(lineSchema).parse((await allOf(threads.export("t"))).map((line) => JSON.parse(line)));
  const exported = lines.map(({ body, content }) => body + content).join("\n");
  const state: Sent = JSON.parse(JSON.stringify(values));
  return { sent, whole: line.whole(), state, messages: values.messages.map(plain), answers, events, prompts, exported };
}

/** An agent on a line of its own, to talk with step by step. */
export interface OpenTalk extends AsyncDisposable {
  readonly agent: Agent;
  readonly line: Line;
  readonly threads: Threads;
  readonly thread: typeof thread;
  readonly events: TurnEvent[];
  /** Asks a question, or goes on. Returns the messages of each model call. */
  ask(question: string | BaseMessageLike[] | null, config?: RunnableConfig): Promise<Sent[][]>;
  /** Returns `messages` as they are. */
  messages(): Promise<BaseMessage[]>;
  /** Changes `messages`, as a person does. */
  change(messages: BaseMessage[]): Promise<unknown>;
}

/** Opens a talk with our agent, whose questions are asked one by one. */
export async function openTalk({ line: way, tools = [look()], options }: Talk, failing?: number): Promise<OpenTalk> {
  const line = await openLine(way, failing);
  const threads = await openThreads("memory:");
  const agent = agentOn(line, threads, { tools, ...options });
  const events: TurnEvent[] = [];
  const messages = async (): Promise<BaseMessage[]> => (await agent.getState(thread)).values.messages;
  return {
    agent,
    line,
    threads,
    thread,
    events,
    async ask(question, config = {}) {
      const before = line.sent().length;
      const input = question === null ? null : inputOf(question);
      for await (const event of streamTurn(agent, input, { ...thread, ...config }, { prompts: true }))
        events.push(event);
      return line.sent().slice(before);
    },
    messages,
    change: (changed) => agent.updateState(thread, { messages: changed }),
    async [Symbol.asyncDispose]() {
      await threads.close();
      await line[Symbol.asyncDispose]();
    },
  };
}

/**
 * Holds a conversation whose second model call fails. The database is closed then, and opened again: the turn goes on from
 * there. Before each other turn it is closed and opened, too.
 */
export async function heldAfterResume(talk: Talk, kind: TestDatabaseKind): Promise<Sent[][][]> {
  const { line: way, questions = asked, tools = [look()], options } = talk;
  await using line = await openLine(way, 1);
  const database = await kind.create();
  const sent: Sent[][][] = [];
  const reopened = async (input: ReturnType<typeof inputOf> | null) => {
    await using threads = await openThreads(database.url);
    const agent = agentOn(line, threads, { tools, ...options });
    const before = line.sent().length;
    const failed = await agent.invoke(input, thread).then(
      () => undefined,
      (error: unknown) => error,
    );
    sent.push(line.sent().slice(before));
    return failed;
  };
  try {
    const [first = "", ...others] = questions;
    const failed = await reopened(inputOf(first));
    if (failed === undefined) throw new Error("The second call did not fail.");
    for (const input of [null, ...others.map(inputOf)]) {
      const error = await reopened(input);
      if (error !== undefined) throw error;
    }
    return sent;
  } finally {
    await database.remove();
  }
}

/** Holds a conversation with both agents. */
export async function heldByBoth(talk: Talk): Promise<{ ours: HeldByUs; theirs: Held }> {
  const [ours, theirs] = await Promise.all([heldByUs(talk), heldByPrebuilt(talk)]);
  return { ours, theirs };
}

/** Messages as servers take them that know only texts as results. */
export function inTexts(messages: readonly Sent[]): Sent[] {
  return messages.map((message) => (message.role === "tool" ? { ...message, content: textOf(message) } : message));
}

/** The text of a message: of a text or of its blocks. */
export function textOf({ content }: Sent = {}): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map(({ text = "" }) => text).join("\n") : "";
}
