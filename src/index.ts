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
// Models
export {
  type LoadModelOptions,
  type LoadModelOptions,
  loadModel,
  loadModel,
  type ModelAbilities,
  type ModelAbilities,
  modelAbilities,
  modelAbilities,
} from "./models.js";
// Protocols
// Protocols
export { conversational, conversational } from "./protocols/conversational.js";
export {
  type ProtocolName,
  type ProtocolName,
  protocolByName,
  protocolByName,
  protocolNames,
  protocolNames,
  protocols,
  protocols,
} from "./protocols/index.js";
export type {
  PromptView,
  PromptView,
  Protocol,
  Protocol,
  ReplyGrammar,
  ReplyGrammar,
  ToolSpec,
  ToolSpec,
} from "./protocols/protocol.js";
export { react, react } from "./protocols/react.js";
export { selfAsk, selfAsk } from "./protocols/self-ask.js";
export { structuredChat, structuredChat } from "./protocols/structured-chat.js";
export { toolCalling, toolCalling } from "./protocols/tool-calling.js";
export {
  AgentState,
  AgentState,
  type AgentStateUpdate,
  type AgentStateUpdate,
  type AgentStateValues,
  type AgentStateValues,
  type Turn,
  type Turn,
} from "./state.js";
// Threads
// Threads
export { openThreads, openThreads, type Threads, type Threads } from "./threads/open.js";
// Tools
export { calculator } from "./tools/calculator.js";
export { documentSearch } from "./tools/document-search.js";
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
