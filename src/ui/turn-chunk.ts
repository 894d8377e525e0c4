import type { EventOf } from "../core/run/events.js";
import type { ApprovalRequest } from "../core/state/approval.js";
import type { Citation } from "../core/state/source.js";

/**
 * The `metadata` of the message of a turn that has ended. `turn` is the id of the turn. `stopReason` and `usage` are those of the
 * event `turn-end`.
 */
export type TurnMetadata = Pick<EventOf<"turn-end">, "turn" | "stopReason" | "usage">;

/**
 * The data parts of the message of a turn:
 *
 * - `output`: the answer as data, of an agent with an `output`: first a part of it, which is not checked. It is null after
 *   `answer-reset`.
 * - `citations`: the citations in the last text part.
 * - `interrupt`: what a tool asks a person with LangGraph's `interrupt`.
 *
 * @example
 * const { messages } = useChat<UIMessage<TurnMetadata, TurnData>>();
 */
export type TurnData = { output: unknown; citations: readonly Citation[]; interrupt: unknown };

/** Why a message ends, in the AI SDK's words. */
export type FinishReason = "stop" | "length" | "content-filter" | "tool-calls" | "error" | "other";

/**
 * A chunk of the AI SDK's UI message stream: one of those that {@link toUIMessageStream} makes. Two have marks of ours in
 * `providerMetadata`: the end of words that do not count, and a call of an agent in a tool. A page gets `approvalDescriptor` as
 * `approval.descriptor` of the part.
 */
export type TurnChunk = Readonly<
  | { type: "start" | "start-step" | "finish-step" | "abort" }
  | { type: "text-start" | "reasoning-start"; id: string }
  | { type: "text-delta" | "reasoning-delta"; id: string; delta: string }
  | { type: "text-end" | "reasoning-end"; id: string; providerMetadata?: { glassloop: { reset: true } } }
  | {
      type: "tool-input-available";
      toolCallId: string;
      toolName: string;
      input: unknown;
      dynamic: true;
      providerExecuted?: true;
      providerMetadata?: { glassloop: { path: string[] } };
    }
  | {
      type: "tool-approval-request";
      toolCallId: string;
      approvalId: string;
      signature: string;
      approvalDescriptor: Pick<ApprovalRequest, "note" | "description" | "why" | "allowed" | "complaint">;
    }
  | { type: "tool-output-available"; toolCallId: string; output: string }
  | { type: "tool-output-error"; toolCallId: string; errorText: string }
  | { type: "tool-output-denied"; toolCallId: string }
  | { type: "source-url"; sourceId: string; url: string; title: string }
  | { type: "source-document"; sourceId: string; mediaType: string; title: string; filename: string }
  | { type: `data-${keyof TurnData}`; id: string; data: unknown }
  | { type: "error"; errorText: string }
  | { type: "finish"; finishReason: FinishReason; messageMetadata: TurnMetadata }
>;
