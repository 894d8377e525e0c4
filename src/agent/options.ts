import type { BaseLanguageModelInput } from "@langchain/core/language_models/base";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { AIMessageChunk } from "@langchain/core/messages";
import type { Runnable } from "@langchain/core/runnables";
import { z } from "zod";
import { checkedOptions, give, hasMethods, oneOf } from "../base/options.js";
import { isZodObject, isZodSchema } from "../base/zod-schema.js";
import type { Middleware } from "../core/parts/middleware.js";
import type { Protocol } from "../core/parts/protocol.js";
import type { ToolOption } from "../core/parts/tools.js";
import { multitaskStrategies, waysWhileWaiting } from "../core/run/keeper.js";
import type { GraphOptions } from "../graph/graph-options.js";
import { isChatModel } from "../langgraph/chat-models.js";
import type { Memory } from "../memory/index.js";
import * as memoryFactories from "../memory/index.js";
import type { ApprovePolicy } from "../middleware/approvals/policy.js";
import { approvePolicies } from "../middleware/approvals/policy-names.js";
import type { OutputSchema } from "../middleware/output/output-schema.js";
import type { ForRun } from "../middleware/run-view.js";
import * as protocolFactories from "../protocols/index.js";
import { type ProtocolName, protocolChoices } from "../protocols/names.js";
import { forRun } from "./for-run.js";
import { middlewareOption } from "./middleware-option.js";
import { type ModelCalls, modelCallsSchema } from "./model-calls.js";
import { isAgentTool, providerToolName } from "./provider-tools.js";
import { type TurnLimits, turnLimitsSchema } from "./turn-limits.js";

/** A model of an agent. LangChain's `withConfig`, `withRetry` and `withFallbacks` make models, too. */
export type AgentModel = BaseChatModel | Runnable<BaseLanguageModelInput, AIMessageChunk> | string;

export interface AgentOptions<Schema extends OutputSchema = OutputSchema, Context extends z.ZodObject = z.ZodObject>
  extends GraphOptions<Context> {
  /**
   * A LangChain chat model, or `"provider:name"` such as `"openai:gpt-4o-mini"`. A named model is loaded at the first
   * call. Of a list of models the first one is asked. The next one is asked when it fails, in the protocol that it can
   * speak, and the turn stays with it. `model.withFallbacks([…])` means the same.
   */
  model: ForRun<AgentModel | readonly AgentModel[], z.output<Context>>;
  /**
   * The LangChain tools of the agent, and tools that the provider of the model runs, such as
   * `{ type: "web_search_20250305", name: "web_search" }`. Default: none, and the agent only talks.
   *
   * A tool of the provider is given in the words of its LangChain package. It needs native tool calls. Its calls and results are
   * in the events and steps with `by: "provider"`. Nobody is asked about them.
   *
   * Mark a tool with `metadata: { effects: true }` when its calls must not be made twice, such as a payment. The
   * process may end between the start of such a call and its result. The next run then does not repeat the call. It
   * tells the model that the call may or may not have taken effect (`status` `"unknown"`). This needs a checkpointer
   * and the durability `"sync"`. In other cases the call is made again, with the same {@link idempotencyKey}.
   *
   * Tools without the mark are called again, unless their step had finished.
   */
  tools?: ForRun<readonly ToolOption[], z.output<Context>>;
  /**
   * The way in which the agent talks with the model: the name of a protocol, your own protocol, or `"auto"`. Default:
   * `"auto"`. It means `"tool-calling"` for a model with native tools. It means `"react"` for a model without native
   * tools, or when the server of the model refuses tools.
   */
  protocol?: ForRun<ProtocolName | "auto" | Protocol, z.output<Context>>;
  /**
   * The form of the answers: a schema of zod 4 for plain JSON. `state.output` then has the answer as data, and `answer` has
   * it as JSON. An answer that does not fit is corrected like an unreadable reply. Default: the answers are words.
   */
  output?: Schema;
  /** Your system prompt. It says who the agent is and how it answers. */
  instructions?: ForRun<string, z.output<Context>>;
  /**
   * Worked examples for the prompt, in place of those of the protocol. In a text protocol each is a whole transcript, from
   * the question to the answer.
   */
  examples?: ForRun<readonly string[], z.output<Context>>;
  /**
   * Middleware of LangChain, of others and your own, in the form of LangChain's `createMiddleware`: around the turn, the model and
   * the tools, in every protocol. The first one is the outermost. Their tools join `tools`, and their channels the state. See
   * {@link Middleware}. Default: none.
   *
   * @example
   * createAgent({ model, tools, middleware: [todoListMiddleware(), piiMiddleware("email")] });
   */
  middleware?: readonly Middleware[];
  /** Tells the model the date (UTC) on which the turn began. Default: off. */
  currentDate?: boolean;
  /**
   * The calls that a person decides on before their tool runs. Default: `"never"`. See {@link ApprovePolicy}. A tool with
   * `metadata: { approve: true }` always asks. The run stops with one interrupt for all such calls of a step, and goes
   * on with `agent.invoke(decide({ … }), config)`. This needs a checkpointer.
   */
  approve?: ApprovePolicy<z.output<Context>>;
  /**
   * Asks a person before each call of a tool with `metadata: { effects: true }` once text from outside is in the thread:
   * `"approve"`. Such text comes from tools with `metadata: { untrusted: true }` (both search tools, all tools of MCP servers, and
   * yours with that mark), tools of the provider, files in a question, and messages of agents of others, also through an agent in
   * a tool. `state.outside` has the sources. An agent in a tool asks about its own effects if it has the option itself. Default:
   * `"ignore"`. It adds to `approve`, and needs a checkpointer.
   */
  taint?: "ignore" | "approve";
  /**
   * Makes a follow-up question stand on its own before the agent answers it. The standalone question stands in the prompt after
   * the person's words. This costs one model call. Default: `"auto"`, on if the first model is asked in a text protocol, and off with
   * native calls, which show the model the whole conversation.
   */
  rephrase?: boolean | "auto";
  /** Decides which earlier turns a prompt shows. Default: `buffer()`, all of them. */
  memory?: ForRun<Memory, z.output<Context>>;
  /**
   * False leaves every byte of questions, earlier turns and results in prompts. A mark then keeps no text from being read as a
   * step. `taint`, `approve` and the ledger stay as they are. A tool alone has it with `metadata: { fence: false }`. Default:
   * true.
   */
  fence?: boolean;
  /** The limits of a turn: its steps, calls, cost and time, and the answer at a limit. See {@link TurnLimits}. */
  limits?: TurnLimits<z.output<Context>>;
  /** How the models are called: time limits, new tries, the size of a prompt. See {@link ModelCalls}. */
  modelCalls?: ModelCalls;
}

const flag = z.boolean(give("true or false"));
const texts = z.array(z.string());
const method = z.custom((value) => typeof value === "function");

const protocolSchema = z.looseObject({
  name: z.string().min(1),
  options: z.record(z.string(), z.unknown()).optional(),
  render: method,
  parse: method,
  stop: texts.optional(),
  nativeTools: z.boolean().optional(),
  reader: method.optional(),
  correct: method.optional(),
  exampleReply: method.optional(),
  exampleAnswer: z.string().optional(),
  grammar: method.optional(),
  labelsIn: method.optional(),
});

const possibleModels = 'a LangChain chat model, or "provider:name" such as "openai:gpt-4o-mini"';
const modelSchema: z.ZodType = z.custom(
  (value) => typeof value === "string" || isChatModel(value),
  give(possibleModels),
);

const possibleProtocols =
  `one of ${protocolChoices.map((name) => `"${name}"`).join(", ")}, or a protocol of your own: an object with ` +
  "name, render and parse";

export const modelsSchema: z.ZodType = z.union(
  [modelSchema, z.array(modelSchema).min(1, give("at least one model"))],
  give(possibleModels),
);
export const toolsSchema: z.ZodType = z.array(
  z.custom(
    (value) => isAgentTool(value) || providerToolName(value) !== "",
    give('a LangChain tool, such as calculator(), or a tool of the provider, such as { type: "web_search" }'),
  ),
  give("a list of LangChain tools"),
);
export const protocolOptionSchema: z.ZodType = z.custom(isProtocol, give(possibleProtocols));
export const memorySchema: z.ZodType = z.custom(
  (value) => hasMethods(value, ["remember"]),
  give("buffer(), window(…), tokenBudget(…) or summary(…)"),
);
export const textSchema: z.ZodType = z.string(give("a text"));
export const textsSchema: z.ZodType = z.array(textSchema, give("a list of texts"));

/**
 * The options of `createAgent`. Objects of packages are recognised by their methods, as a package may be loaded in two
 * copies.
 */
export const agentOptionsSchema = z.strictObject({
  model: forRun(modelsSchema),
  tools: forRun(toolsSchema).optional(),
  protocol: forRun(protocolOptionSchema, protocolFactories).optional(),
  output: z
    .custom(isZodSchema, give('a schema of zod 4, such as z.object({ city: z.string() }) from the package "zod"'))
    .optional(),
  instructions: forRun(textSchema).optional(),
  examples: forRun(textsSchema).optional(),
  context: z
    .custom(
      isZodObject,
      give('a zod schema of an object, such as z.object({ user: z.string() }) from the package "zod"'),
    )
    .optional(),
  middleware: middlewareOption(toolsSchema).optional(),
  currentDate: flag.optional(),
  approve: z.custom(isApprovePolicy, give('"never", "effects", "always" or a function of the call')).optional(),
  taint: oneOf(["ignore", "approve"]).optional(),
  rephrase: z.union([z.boolean(), z.literal("auto")], give('true, false or "auto"')).optional(),
  memory: forRun(memorySchema, memoryFactories).optional(),
  fence: flag.optional(),
  limits: turnLimitsSchema.optional(),
  modelCalls: modelCallsSchema.optional(),
  checkpointer: z
    .custom(isCheckpointer, give("(await openThreads(url)).checkpointer or another LangGraph checkpointer"))
    .optional(),
  durability: oneOf(["sync", "async", "exit"]).optional(),
  multitaskStrategy: oneOf(multitaskStrategies).optional(),
  whileWaiting: oneOf(waysWhileWaiting).optional(),
  store: z
    .custom((value) => hasMethods(value, ["batch", "get", "put", "search"]), give("a LangGraph store"))
    .optional(),
  name: z.string(give("a text")).min(1, give("a text that is not empty")).optional(),
});

/** Options of LangChain's and LangGraph's agents, and what they are called here. */
export const optionsElsewhere: ReadonlyMap<string, string> = new Map([
  ["llm", "model"],
  ["systemPrompt", "instructions"],
  ["prompt", "instructions"],
  ["responseFormat", "output"],
  ["contextSchema", "context"],
  ["interruptOn", "approve"],
  ["hooks", "middleware"],
  ["maxIterations", "maxSteps"],
  ["earlyStoppingMethod", "earlyStopping"],
  ["checkpointSaver", "checkpointer"],
]);

/**
 * Checks the options of `createAgent`, for callers without a compiler.
 *
 * @throws InvalidOptionError with the first option that is wrong, and the possible values.
 */
export function checkAgentOptions(options: unknown): void {
  checkedOptions("", agentOptionsSchema, options, optionsElsewhere);
}

function isApprovePolicy(value: unknown): boolean {
  return typeof value === "function" || approvePolicies.some((name) => name === value);
}

function isProtocol(value: unknown): boolean {
  return typeof value === "string"
    ? protocolChoices.some((name) => name === value)
    : protocolSchema.safeParse(value).success;
}

/**
 * Tells whether a value is a checkpointer. LangGraph also takes true and false for a graph inside another graph: its
 * own memory, or no memory.
 */
function isCheckpointer(value: unknown): boolean {
  return typeof value === "boolean" || hasMethods(value, ["getTuple", "list", "put", "putWrites"]);
}
