import type { BaseMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { OutputFormat } from "../../agent/output/output-format.js";
import type { FixedLimits } from "../limits/turn-limits.js";
import type { CallLimits } from "../model/model-call.js";
import type { NamedModels } from "../model/named-model.js";
import type { Memory } from "../parts/memory.js";
import type { FencedProtocol, ToolSpec } from "../parts/protocol.js";
import type { ChatHistory } from "../state/chat-history.js";
import type { PromptRecord } from "../state/prompt-record.js";
import type { AgentStateValues, Turn } from "../state/state.js";
import type { AgentTool } from "../tools/tool-spec.js";
import type { Approve } from "./approval-policy.js";
import type { Hooks } from "./hooks.js";

/**
 * The protocols of an agent. Under `auto` it uses the native one if the model has native tools. Otherwise it uses the
 * text protocol.
 */
export interface AgentProtocols {
  readonly text: FencedProtocol;
  readonly native?: FencedProtocol;
  /** Returns the protocol that wrote a prompt. Returns undefined if it is not known. */
  readonly writerOf: (prompt: Pick<PromptRecord, "protocol" | "options">) => FencedProtocol | undefined;
  /** Yields the messages that ask for a question that stands on its own, each time with a shorter chat history. */
  readonly rephrasing: (turn: Turn, history: ChatHistory) => Iterable<BaseMessage[]>;
}

/** The parts of an agent that may be functions of the run. */
type RunPart = "models" | "instructions" | "examples";

/** The checked options of one agent with their defaults, for all of its nodes. */
export interface AgentDependencies {
  /** The name on the agent's messages. Left out if the user gave it none. */
  readonly name?: string;
  /** Loads the chat models at the first call. */
  readonly models: () => Promise<NamedModels>;
  /** The limits of the model calls. */
  readonly limits: CallLimits;
  readonly protocols: AgentProtocols;
  readonly tools: ReadonlyMap<string, AgentTool>;
  readonly toolSpecs: readonly ToolSpec[];
  /** Fields for each request for a reply. They make the server keep the model to the grammar of the protocol. */
  readonly requestFields?: Readonly<Record<string, unknown>>;
  /** The format of the answers. Left out if they are plain words. */
  readonly output?: OutputFormat;
  readonly memory: Memory;
  /** False if the agent keeps nothing of its runs, although a graph around it may. */
  readonly keepsSteps: boolean;
  /** Tells which calls a person decides on. */
  readonly approve: Approve;
  readonly rephrase: boolean;
  /** Returns the user's system prompt. It is empty if there is none. */
  readonly instructions: () => string | Promise<string>;
  /** Returns the worked examples. It returns undefined if the protocol has its own. */
  readonly examples: () => readonly string[] | undefined | Promise<readonly string[] | undefined>;
  readonly hooks: Hooks;
  /** True if an answer goes out only when its turn has ended, as it is looked at before. */
  readonly holdsAnswers?: boolean;
  readonly currentDate: boolean;
  readonly maxObservationCharacters: number;
  readonly turnLimits: FixedLimits;
}

/** Returns the parts of an agent for a node that runs. */
export type AgentAt = (state: AgentStateValues, config: LangGraphRunnableConfig) => Promise<AgentDependencies>;

/** The parts of an agent that its options name. */
export type FixedParts = Omit<AgentDependencies, RunPart>;
