import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { StructuredToolInterface } from "@langchain/core/tools";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { Memory } from "../../memory/index.js";
import type { Protocol, ToolSpec } from "../../protocols/protocol.js";
import type { ActionJournal } from "../../turn/action-journal.js";

/** The protocol an agent speaks; under `auto` the native one where the model has native tools, else the text one. */
export interface AgentProtocols {
  readonly text: Protocol;
  readonly native?: Protocol;
}

/** What the nodes of one agent share: its options, checked and with their defaults. */
export interface AgentDependencies {
  /** The chat model, loaded at the first call. */
  readonly model: () => Promise<BaseChatModel>;
  readonly protocols: AgentProtocols;
  readonly tools: ReadonlyMap<string, StructuredToolInterface>;
  readonly toolSpecs: readonly ToolSpec[];
  /** What each request for a reply has to hold besides, so that the model keeps to the protocol's grammar. */
  readonly requestFields?: Readonly<Record<string, unknown>>;
  readonly memory: Memory;
  /** Opens the record of the tool calls of the node that is run with a config. */
  readonly openJournal: (config: LangGraphRunnableConfig) => Promise<ActionJournal>;
  readonly rephrase: boolean;
  readonly instructions?: string;
  readonly currentDate: boolean;
  /** The most steps a turn may take. */
  readonly maxSteps: number;
  /** How many unreadable replies in a row end a turn. */
  readonly maxUnreadable: number;
}
