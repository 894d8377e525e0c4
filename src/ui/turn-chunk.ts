import type { EventOf } from "../core/run/events.js";
import type { ApprovalRequest } from "../core/state/approval.js";
import type { Citation } from "../core/state/citation.js";

/**
 * The `metadata` of the message of a turn that has ended. `turn` is the id of the turn. `stopReason` and `usage` are those of the
 * event `turn-end`.
 */
export type TurnMetadata = Pick<EventOf<"turn-end">, "turn" | "stopReason" | "usage">;

/**
 * The data parts of the message of a turn:
 *
 * - `output`: the answer as data, of an agent with an `output`.
 * - `citations`: the citations in the last text part.
 * - `interrupt`: what a tool asks a person with LangGraph's `interrupt`.
 *
 * @example
 * const { messages } = useChat<UIMessage<TurnMetadata, TurnData>>();
 */
export type TurnData = { output: unknown; citations: readonly Citation[]; interrupt: unknown };

/** A mark of ours on a part: `reset` if its words do not count, `path` if the call is one of an agent in a tool. */
type Marked = { providerMetadata?: { glassloop: { reset: true } | { path: string[] } } };

/** What a person is told of a call that waits for a decision. It is the `approval.descriptor` of the part. */
type Asked = Pick<ApprovalRequest, "description" | "why" | "allowed" | "complaint">;

/** Why a message ends, in the AI SDK's words. */
export type FinishReason = "stop" | "length" | "content-filter" | "tool-calls" | "error" | "other";

/** A chunk of the AI SDK's UI message stream: one of those that {@link toUIMessageStream} makes. */
export type TurnChunk = Readonly<
  | { type: "start" | "start-step" | "finish-step" | "abort" }
  | ({ type: "text-start" | "text-end" | "reasoning-start" | "reasoning-end"; id: string } & Marked)
  | { type: "text-delta" | "reasoning-delta"; id: string; delta: string }
  | ({ type: "tool-input-available"; toolCallId: string; toolName: string; input: unknown; dynamic: true } & Marked)
  | {
      type: "tool-approval-request";
      toolCallId: string;
      approvalId: string;
      signature: string;
      approvalDescriptor: Asked;
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
