// The agent

export { idempotencyKey } from "../core/nodes/acting/run-action.js";
export type { NodeName } from "../core/nodes/node-names.js";
export type {
  HookPlace,
  Middleware,
  MiddlewareFunctions,
  MiddlewareHook,
  MiddlewareRuntime,
  SeenState,
  WrappedCall,
  WrappedRequest,
} from "../core/parts/middleware.js";
export type { ToolOption } from "../core/parts/tools.js";
export type { Agent, AgentInput, AgentRuns, RunConfig, TurnResult } from "../graph/agent.js";
export type { GraphOptions } from "../graph/graph-options.js";
export type { ApprovePolicy, ProposedCall } from "../middleware/approvals/policy.js";
export type { PolicyName } from "../middleware/approvals/policy-names.js";
export type { CostLimits, StepLimits, StopCondition, TimeLimits } from "../middleware/limits/limit-values.js";
export type { OutputSchema } from "../middleware/output/output-schema.js";
export type { ForRun, RunView } from "../middleware/run-view.js";
export { approvalRequests, type Decisions, decide } from "../turns/approvals.js";
export { continueTurn, reopenTurn } from "../turns/continue-turn.js";
export { type DrainOptions, drainOnSignal } from "../turns/drain.js";
export { edit, regenerate, replay, rewind } from "../turns/go-back.js";
export { type StreamTurnOptions, streamTurn } from "../turns/stream-turn.js";
export { createAgent } from "./create-agent.js";
export { type AgentDescription, type DescribedTool, describeAgent } from "./known-agents.js";
export type { ModelCalls } from "./model-calls.js";
export type { AgentModel, AgentOptions } from "./options.js";
export { type CallPrompt, promptOf, promptOfCall, promptsOf } from "./prompts/prompt-of.js";
export type { ModelPrompt } from "./prompts/written-again.js";
export type { TurnLimits } from "./turn-limits.js";

// What a thread holds

export type { ContentBlock } from "../content/content-block.js";
export type { FileForm, FileKind, FilesTaken } from "../content/file-block.js";
export {
  type EventDetails,
  type EventOf,
  type PersonAsked,
  type TurnEvent,
  turnEventSchema,
} from "../core/run/events.js";
export type { ApprovalDecision, ApprovalRequest, Decided } from "../core/state/approval.js";
export type { ChatHistory, ChatTurn } from "../core/state/chat-history.js";
export type {
  ActionResult,
  AgentAction,
  Decision,
  IntermediateStep,
  ParsedAction,
  ParsedReply,
  Reply,
  StopReason,
} from "../core/state/decision.js";
export type { OutsideText } from "../core/state/outside.js";
export type { PromptRecord, Refusal, Shortened } from "../core/state/prompt-record.js";
export type { QuietCall } from "../core/state/quiet-call.js";
export type { Retrieval } from "../core/state/retrieval.js";
export type { Citation, CitedQuote } from "../core/state/source.js";
export type { AgentStateUpdate, AgentStateValues, Turn } from "../core/state/state.js";
export type { ModelUsage, Tokens, Usage, UsageCounts } from "../core/state/usage.js";
export type { ProviderForm } from "../provider-forms/provider-form.js";
export type { ToolInput } from "../tool-inputs/tool-input.js";

// Errors

export * from "../base/errors.js";
