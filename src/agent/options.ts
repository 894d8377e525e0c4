import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { StructuredToolInterface } from "@langchain/core/tools";
import type { BaseCheckpointSaver, BaseStore } from "@langchain/langgraph-checkpoint";
import { InvalidOptionError } from "../base/errors.js";
import { buffer, type Memory } from "../memory/index.js";
import { type DecodingServer, grammarFields } from "../model/constrained-decoding.js";
import { loadModel } from "../model/models.js";
import { protocolByName, protocols } from "../protocols/index.js";
import type { ProtocolName } from "../protocols/names.js";
import type { Protocol } from "../protocols/protocol.js";
import type { MultitaskStrategy } from "../threads/guard/guard.js";
import { toolSpec } from "../tools/calling/tool-spec.js";
import { noJournal } from "../turn/action-journal.js";
import { checkAgentOptions } from "./check-options.js";
import { defaultMaxSteps, defaultMaxUnreadable } from "./graph/limits.js";
import type { AgentDependencies, AgentProtocols } from "./nodes/dependencies.js";
import { openJournal } from "./nodes/open-journal.js";

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

/** An agent's options, checked, with their defaults. @throws InvalidOptionError */
export function agentDependencies(options: AgentOptions): AgentDependencies {
  checkAgentOptions(options);
  const {
    model,
    tools = [],
    protocol = "auto",
    constrainedDecoding,
    instructions,
    currentDate = false,
    rephrase = true,
    memory = buffer(),
    maxSteps = defaultMaxSteps,
    maxUnreadable = defaultMaxUnreadable,
  } = options;
  const toolsByName = byName(tools);
  const toolSpecs = tools.map(toolSpec);
  const spoken = protocolsOf(protocol, constrainedDecoding);
  return {
    model: once(async () => (typeof model === "string" ? await loadModel(model) : model)),
    protocols: spoken,
    tools: toolsByName,
    toolSpecs,
    ...(constrainedDecoding ? { requestFields: grammarFields(constrainedDecoding, spoken.text, toolSpecs) } : {}),
    memory,
    // Nothing of such an agent's run is kept, so that no later run could ask for a record of it.
    openJournal: options.checkpointer === false ? async () => noJournal : openJournal,
    rephrase,
    currentDate,
    maxSteps,
    maxUnreadable,
    ...(instructions ? { instructions } : {}),
  };
}

function protocolsOf(protocol: ProtocolName | "auto" | Protocol, server: DecodingServer | undefined): AgentProtocols {
  if (typeof protocol !== "string") return { text: protocol };
  if (protocol !== "auto") return { text: protocolByName(protocol) };
  if (server !== undefined) return { text: server === "openai" ? protocols["structured-chat"] : protocols.react };
  return { native: protocols["tool-calling"], text: protocols.react };
}

/** Loads at the first call and remembers; a load that failed is tried again at the next call. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}

/** Words that end a turn in one protocol or another, so that a tool of that name could never be called. */
const reservedNames = new Set(["final answer", "finish", "none"]);

function byName(tools: readonly StructuredToolInterface[]): Map<string, StructuredToolInterface> {
  const named = new Map<string, StructuredToolInterface>();
  for (const tool of tools) {
    checkName(tool.name);
    if (named.has(tool.name)) throw new InvalidOptionError("tools", `two tools are named "${tool.name}"; rename one.`);
    named.set(tool.name, tool);
  }
  return named;
}

function checkName(name: string): void {
  const problem =
    typeof name !== "string" || name.trim() === ""
      ? "is empty"
      : name !== name.trim()
        ? "begins or ends with a space"
        : /\p{Cc}/u.test(name)
          ? "has a line break or another control character"
          : reservedNames.has(name.toLowerCase())
            ? "is the protocols' own word for ending a turn"
            : undefined;
  if (problem) {
    throw new InvalidOptionError("tools", `the tool name ${JSON.stringify(name)} ${problem}; give it another name.`);
  }
}
