// The agent

export { approvalRequests, type Decisions, decide } from "./approvals.js";
export { continueTurn, reopenTurn } from "./continue-turn.js";
export { type Agent, createAgent } from "./create-agent.js";
export { type DrainOptions, drainOnSignal } from "./drain.js";
export { edit, regenerate, replay, rewind, type TurnResult } from "./go-back.js";
export type { StopCondition, TurnLimits } from "./limits/turn-limits.js";
export { idempotencyKey } from "./nodes/acting/idempotency.js";
export type { ApprovePolicy, ProposedCall } from "./nodes/approval-policy.js";
export type { ApprovedCall, ArrivedReply, HookResult, Hooks, ProposedPrompt } from "./nodes/hooks.js";
export type { AgentModel, AgentOptions } from "./options.js";
export type { OutputSchema } from "./output/output-schema.js";
export type { PolicyName } from "./policy-names.js";
export { promptOf, promptsOf } from "./prompt-of.js";
export type { ModelPrompt } from "./prompts/written-again.js";
export type { ForRun, RunView } from "./run-view.js";
export { type StreamTurnOptions, streamTurn } from "./stream-turn.js";

// What a thread holds

export type { ApprovalDecision, ApprovalRequest } from "../turn/approval.js";
export type { ChatHistory, ChatTurn } from "../turn/chat-history.js";
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
} from "../turn/decision.js";
export { type EventDetails, type EventOf, type PersonAsked, type TurnEvent, turnEventSchema } from "../turn/events.js";
export type { PromptRecord, Shortened } from "../turn/prompt-record.js";
export type { QuietCall } from "../turn/quiet-call.js";
export type { Retrieval } from "../turn/retrieval.js";
export { AgentState, type AgentStateUpdate, type AgentStateValues, type Turn } from "../turn/state.js";
export type { ModelUsage, Tokens, Usage, UsageCounts } from "../turn/usage.js";

// Errors

export * from "../base/errors.js";
