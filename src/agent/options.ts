import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { StructuredToolInterface } from "@langchain/core/tools";
import type { BaseCheckpointSaver, BaseStore } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { checkedOptions, countOption, give, hasMethods, oneOf } from "../base/options.js";
import type { Memory } from "../memory/index.js";
import { type DecodingServer, decodingServers } from "../model/constrained-decoding.js";
import { isChatModel } from "../model/is-chat-model.js";
import { type ProtocolName, protocolChoices } from "../protocols/names.js";
import type { Protocol } from "../protocols/protocol.js";
import { type MultitaskStrategy, multitaskStrategies } from "../threads/guard/guard.js";

export interface AgentOptions {
  /** A LangChain chat model, or `"provider:name"` such as `"openai:gpt-4o-mini"`, loaded at the first call. */
  model: BaseChatModel | string;
  /**
   * Any LangChain tools. None unless given: then the agent only talks. Mark one whose calls must not be made twice with
   * `metadata: { effects: true }`: when the process ends between such a call's start and its result, the run that goes on
   * does not make it again, but tells the model that it may or may not have taken effect (`status` `"unknown"`). That holds
   * for threads of `openThreads` under the durability `"sync"`; elsewhere the call is made again, with the same
   * {@link idempotencyKey}. Other tools are simply called again, but for those of a step that had finished.
   */
  tools?: readonly StructuredToolInterface[];
  /**
   * How the agent talks with the model: a protocol's name, a protocol of your own, or `"auto"`, which is used unless given:
   * `"tool-calling"` for a model with native tools, `"react"` for one without or when its server refuses tools.
   */
  protocol?: ProtocolName | "auto" | Protocol;
  /**
   * Holds the model to the protocol's format while it decodes, on a server that can: `"llama.cpp"` (grammar), `"vllm"`
   * (structured outputs), `"openai"` (JSON schema, for `"structured-chat"`). For models of `@langchain/openai`. With it
   * `"auto"` is the text protocol that the server has a grammar for. Off unless given.
   */
  constrainedDecoding?: DecodingServer;
  /** Your system prompt: who the agent is, how it should answer. */
  instructions?: string;
  /** Tells the model the day (UTC) that the turn began. Off unless given. */
  currentDate?: boolean;
  /** Makes a follow-up question stand on its own, by a model call of its own, before it is answered. On unless given. */
  rephrase?: boolean;
  /** What prompts see of earlier turns: `buffer()` (all of them) unless given. */
  memory?: Memory;
  /** The most steps (replies that ask for a tool or cannot be read) of a turn, at least 1; 15 unless given. */
  maxSteps?: number;
  /** How many unreadable replies in a row end a turn, at least 1; 3 unless given. */
  maxUnreadable?: number;
  /**
   * Where threads are kept: `(await openThreads(url)).checkpointer` or any LangGraph saver. Nothing is kept without one.
   * For an agent inside another graph, in LangGraph's words: `true` gives it a memory of its own on the outer graph's
   * threads, `false` none at all.
   */
  checkpointer?: BaseCheckpointSaver | boolean;
  /**
   * When the steps of a run are saved, in LangGraph's words. `"sync"`, before the next step starts, unless given: a run that
   * is killed goes on from its last finished node (`openThreads`' store saves a reply together with what `parse` reads in it). `"async"` saves while the next step runs: a write that fails then ends the
   * process. `"exit"` saves when the run ends: a run that is killed is lost. Both can repeat calls with effects.
   */
  durability?: "sync" | "async" | "exit";
  /**
   * What becomes of a run whose thread is in use by another one, in this process or elsewhere, in the words of the LangGraph
   * server. `"reject"`, a {@link ThreadInUseError}, unless given; `"enqueue"` waits until the other one has ended;
   * `"interrupt"` stops the other one (it throws a {@link ThreadInterruptedError}) and keeps the steps it finished. A call's
   * `configurable.multitask_strategy` overrides it. Threads that another checkpointer than `openThreads`' keeps are not
   * guarded.
   */
  multitaskStrategy?: MultitaskStrategy;
  /** LangGraph's long-term store, for tools that use it. */
  store?: BaseStore;
  /** The graph's name in traces; `"glassloop"` unless given. */
  name?: string;
}

const text = z.string(give("a text"));
const flag = z.boolean(give("true or false"));
const texts = z.array(z.string());
const method = z.custom((value) => typeof value === "function");

const protocolSchema = z.looseObject({
  name: z.string().min(1),
  render: method,
  parse: method,
  stop: texts.optional(),
  nativeTools: z.boolean().optional(),
  answerMarkers: texts.optional(),
  exampleReply: method.optional(),
  exampleAnswer: z.string().optional(),
  grammar: method.optional(),
});

const possibleProtocols =
  `one of ${protocolChoices.map((name) => `"${name}"`).join(", ")}, or a protocol of your own: an object with ` +
  "name, render and parse";

/** What can be given to `createAgent`. What comes from a package is known by its methods: there may be two copies of it. */
export const agentOptionsSchema = z.strictObject({
  model: z.custom(
    (value) => typeof value === "string" || isChatModel(value),
    give('a LangChain chat model, or "provider:name" such as "openai:gpt-4o-mini"'),
  ),
  tools: z
    .array(z.custom(isTool, give("a LangChain tool, such as calculator()")), give("a list of LangChain tools"))
    .optional(),
  protocol: z.custom(isProtocol, give(possibleProtocols)).optional(),
  constrainedDecoding: oneOf(decodingServers).optional(),
  instructions: text.optional(),
  currentDate: flag.optional(),
  rephrase: flag.optional(),
  memory: z
    .custom((value) => hasMethods(value, ["remember"]), give("buffer(), window(…), tokenBudget(…) or summary(…)"))
    .optional(),
  maxSteps: countOption.optional(),
  maxUnreadable: countOption.optional(),
  checkpointer: z
    .custom(isCheckpointer, give("(await openThreads(url)).checkpointer or another LangGraph checkpointer"))
    .optional(),
  durability: oneOf(["sync", "async", "exit"]).optional(),
  multitaskStrategy: oneOf(multitaskStrategies).optional(),
  store: z
    .custom((value) => hasMethods(value, ["batch", "get", "put", "search"]), give("a LangGraph store"))
    .optional(),
  name: text.min(1, give("a text that is not empty")).optional(),
});

/**
 * Checks what was given to `createAgent`, where no compiler did.
 *
 * @throws InvalidOptionError naming the first option that cannot be, and what is possible.
 */
export function checkAgentOptions(options: unknown): void {
  checkedOptions("", agentOptionsSchema, options);
}

function isTool(value: unknown): boolean {
  return hasMethods(value, ["invoke"]) && "name" in value && "schema" in value;
}

function isProtocol(value: unknown): boolean {
  return typeof value === "string"
    ? protocolChoices.some((name) => name === value)
    : protocolSchema.safeParse(value).success;
}

/** LangGraph takes true and false for a graph inside another one: memory of its own there, or none. */
function isCheckpointer(value: unknown): boolean {
  return typeof value === "boolean" || hasMethods(value, ["getTuple", "list", "put", "putWrites"]);
}
