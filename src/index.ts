// The agent

export { approvalRequests, type Decisions, decide } from "./agent/approvals.js";
export { continueTurn, reopenTurn } from "./agent/continue-turn.js";
export { type Agent, createAgent } from "./agent/create-agent.js";
export { type DrainOptions, drainOnSignal } from "./agent/drain.js";
export { edit, regenerate, replay, rewind, type TurnResult } from "./agent/go-back.js";
export type { StopCondition, TurnLimits } from "./agent/limits/turn-limits.js";
export { idempotencyKey } from "./agent/nodes/acting/idempotency.js";
export type { ApprovePolicy, ProposedCall } from "./agent/nodes/approval-policy.js";
export type { ApprovedCall, ArrivedReply, HookResult, Hooks, ProposedPrompt } from "./agent/nodes/hooks.js";
export type { AgentModel, AgentOptions } from "./agent/options.js";
export type { OutputSchema } from "./agent/output/output-schema.js";
export type { PolicyName } from "./agent/policy-names.js";
export { promptOf, promptsOf } from "./agent/prompt-of.js";
export type { ModelPrompt } from "./agent/prompts/written-again.js";
export type { ForRun, RunView } from "./agent/run-view.js";
export { type StreamTurnOptions, streamTurn } from "./agent/stream-turn.js";

// Answers held against their sources

export { type CheckedAnswer, checkCitations } from "./citations/check-citations.js";
export { type CitationProblem, CitationReader } from "./citations/citation-reader.js";

// The retrieval agent

export { createRetrievalAgent } from "./retrieval/create-retrieval-agent.js";
export type { Combine, QuestionView, Route, Translate } from "./retrieval/dependencies.js";
export type { RetrievalOptions } from "./retrieval/options.js";
export type { NamedRetriever, Retriever } from "./retrieval/searching/retriever.js";
export { decompose, hyde, multiQuery, stepBack, type Translation } from "./retrieval/translation/translation.js";

// The parts that have an entry of their own

export * from "./documents/index.js";
export * from "./memory/index.js";
export * from "./model/index.js";
export * from "./protocols/index.js";
export * from "./threads/index.js";
export * from "./tools/index.js";

// What a thread holds

export type { ApprovalDecision, ApprovalRequest } from "./turn/approval.js";
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
export { type EventDetails, type EventOf, type PersonAsked, type TurnEvent, turnEventSchema } from "./turn/events.js";
export type { PromptRecord, Shortened } from "./turn/prompt-record.js";
export type { QuietCall } from "./turn/quiet-call.js";
export type { Retrieval } from "./turn/retrieval.js";
export { AgentState, type AgentStateUpdate, type AgentStateValues, type Turn } from "./turn/state.js";
export type { ModelUsage, Tokens, Usage, UsageCounts } from "./turn/usage.js";

// Errors

export * from "./base/errors.js";
