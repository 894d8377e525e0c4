// The agent
export { type Agent, createAgent } from "./agent.js";
export type { AgentOptions } from "./agent-options.js";
// What happens in a turn
export type { AnswerDelta } from "./answer-stream.js";
// What a thread holds
export type { ChatHistory, ChatTurn } from "./chat-history.js";
export type { DecodingServer } from "./constrained-decoding.js";
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
} from "./decision.js";
// Errors
export * from "./errors.js";
export { type ProtocolFallback, streamTurn, type TurnEvent } from "./events.js";
// Memory
export { buffer, type Memory, type MemoryContext, summary, tokenBudget, window } from "./memory/index.js";
// Models
export { type LoadModelOptions, loadModel, type ModelAbilities, modelAbilities } from "./models.js";
export { offlineModel } from "./offline/index.js";
// Protocols
export { conversational } from "./protocols/conversational.js";
export { type ProtocolName, protocolByName, protocolNames, protocols } from "./protocols/index.js";
export type { PromptView, Protocol, ReplyGrammar, ToolSpec } from "./protocols/protocol.js";
export { react } from "./protocols/react.js";
export { selfAsk } from "./protocols/self-ask.js";
export { structuredChat } from "./protocols/structured-chat.js";
export { toolCalling } from "./protocols/tool-calling.js";
export { AgentState, type AgentStateUpdate, type AgentStateValues, type Turn } from "./state.js";
// Threads
export { openThreads, type Threads } from "./threads/open.js";
export type { ThreadSummary } from "./threads/thread-rows.js";
// Tools
export {
  calculator,
  type DocumentSearchOptions,
  documentSearch,
  type Source,
  type SourcesArtifact,
  type WebSearchOptions,
  type WebSearchProvider,
  webSearch,
  webSearchFromEnvironment,
} from "./tools/index.js";
export type { Usage, UsageCounts } from "./usage.js";
