import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { StructuredToolInterface } from "@langchain/core/tools";
import type { Memory } from "../memory/index.js";
import type { Protocol, ToolSpec } from "../protocols/protocol.js";

/** What the nodes of one agent share: its options, checked and with their defaults. */
export interface AgentDependencies {
  /** The chat model, loaded at the first call. */
  readonly model: () => Promise<BaseChatModel>;
  readonly protocol: Protocol;
  readonly tools: ReadonlyMap<string, StructuredToolInterface>;
  readonly toolSpecs: readonly ToolSpec[];
  readonly memory: Memory;
  readonly rephrase: boolean;
  readonly instructions?: string;
  readonly currentDate: boolean;
  /** The most steps a turn may take. */
  readonly maxSteps: number;
  /** How many unreadable replies in a row end a turn. */
  readonly maxUnreadable: number;
}
