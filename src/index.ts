// The agent

export { type Agent, createAgent } from "./agent/create-agent.js";
export { idempotencyKey } from "./agent/nodes/idempotency.js";
export type { AgentOptions } from "./agent/options.js";
export type { DecodingServer } from "./model/constrained-decoding.js";

// What happens in a turn

export { type DrainOptions, drainOnSignal } from "./agent/drain.js";
export { streamTurn } from "./agent/stream-turn.js";
export type { AnswerDelta, ProtocolFallback, TurnEvent } from "./turn/events.js";

// What a thread holds

export type { ChatHistory, ChatTurn } from "./turn/chat-history.js";
export type {
  ActionResult,
  AgentAction,
  Decision,
  IntermediateStep,
  ParsedAction,
  ParsedReply,
  Reply,
  StopReason,
  ToolInput,
} from "./turn/decision.js";
export { AgentState, type AgentStateUpdate, type AgentStateValues, type Turn } from "./turn/state.js";
export type { Usage, UsageCounts } from "./turn/usage.js";

// Protocols

export { type ConversationalOptions, conversational } from "./protocols/conversational.js";
export { type ProtocolName, protocolByName, protocolNames, protocols } from "./protocols/index.js";
export type { PromptOptions, PromptParts } from "./protocols/prompt/prompt-parts.js";
export type { PromptView, Protocol, ReplyGrammar, ToolSpec } from "./protocols/protocol.js";
export { react } from "./protocols/react.js";
export { selfAsk } from "./protocols/self-ask.js";
export { structuredChat } from "./protocols/structured-chat.js";
export { type ToolCallingOptions, toolCalling } from "./protocols/tool-calling.js";

// Memory

export { buffer, type Memory, type MemoryContext, summary, tokenBudget, window } from "./memory/index.js";

// Tools

export {
  calculator,
  type DocumentSearchOptions,
  type DocumentSearchTool,
  documentSearch,
  type Source,
  type SourcesArtifact,
  type WebSearchOptions,
  type WebSearchProvider,
  webSearch,
  webSearchFromEnvironment,
} from "./tools/index.js";

// Models

export { type LoadModelOptions, loadModel, type ModelAbilities, modelAbilities } from "./model/models.js";
export { type OfflineModel, offlineModel } from "./model/offline/offline-model.js";

// Threads

export { edit, regenerate, replay, rewind, type TurnResult } from "./agent/go-back.js";
export type { ThreadStatus, ThreadSummary } from "./threads/checkpoints/thread-row.js";
export type { MultitaskStrategy } from "./threads/guard/guard.js";
export type { HistoryBranch, HistoryStep, HistoryTurn, ThreadHistory } from "./threads/lookup/history.js";
export type { SearchHit } from "./threads/lookup/search.js";
export { openThreads, type Threads } from "./threads/open.js";
export type { PruneResult } from "./threads/threads.js";
export type { Pruned } from "./threads/upkeep/prune.js";
export type { RetentionPolicy } from "./threads/upkeep/retention.js";
export type { Speaker } from "./threads/values/search-text.js";

// Errors

export * from "./base/errors.js";
