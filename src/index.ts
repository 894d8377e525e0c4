// The agent
export { type Agent, createAgent } from "./agent.js";
export type { AgentOptions } from "./agent-options.js";
// What a thread holds
export type { ChatHistory, ChatTurn } from "./chat-history.js";
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
// Events
export { streamTurn, type TurnEvent } from "./events.js";
// Memory
export { buffer, type Memory, type MemoryContext, summary, tokenBudget, window } from "./memory/index.js";
export { AgentState, type AgentStateUpdate, type AgentStateValues, type Turn } from "./state.js";
export type { Usage, UsageCounts } from "./usage.js";
