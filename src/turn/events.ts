import { z } from "zod";
import { type ApprovalRequest, approvalDecisionSchema, readApproval } from "./approval.js";
import type { ActionResult, StopReason, ToolInput } from "./decision.js";

/** A new piece of the answer. It is written to LangGraph's `custom` stream while the model still writes. */
export const answerDeltaSchema = z.object({ type: z.literal("answer-delta"), text: z.string() });
export type AnswerDelta = Readonly<z.infer<typeof answerDeltaSchema>>;

/**
 * A new piece of a reply that may be a thought or the answer, as it comes. A `thought` or an `answer` event settles what
 * it was.
 */
const textDeltaSchema = z.object({ type: z.literal("text-delta"), text: z.string() });
export type TextDelta = Readonly<z.infer<typeof textDeltaSchema>>;

/** The change to a text protocol, after the server of the model refused native tool calls. */
const protocolFallbackSchema = z.object({
  type: z.literal("protocol-fallback"),
  from: z.string(),
  to: z.string(),
  why: z.string(),
});
export type ProtocolFallback = Readonly<z.infer<typeof protocolFallbackSchema>>;

/** A person's decision about the action with this id. */
const approvalDecidedSchema = z.object({
  type: z.literal("decision"),
  id: z.string(),
  decision: approvalDecisionSchema,
});
export type ApprovalDecided = Readonly<z.infer<typeof approvalDecidedSchema>>;

/**
 * The actions that wait for a decision. `interrupt` is the id of LangGraph's interrupt. `complaints` are the reasons why
 * an answer was not taken. The turn stops after this event.
 */
export interface ApprovalAsked {
  readonly type: "approval";
  readonly interrupt: string;
  readonly requests: readonly ApprovalRequest[];
  readonly complaints: readonly string[];
}

/** A question that a tool asked with LangGraph's `interrupt`. The turn stops after this event. */
export interface ToolAsked {
  readonly type: "interrupt";
  readonly interrupt: string;
  readonly value: unknown;
}

/** A question to a person, with which a turn stops. */
export type PersonAsked = ApprovalAsked | ToolAsked;

/** Reads the question of an interrupt. */
export function personAsked({ id = "", value }: { readonly id?: string; readonly value?: unknown }): PersonAsked {
  const approval = readApproval(value);
  if (approval === undefined) return { type: "interrupt", interrupt: id, value };
  return { type: "approval", interrupt: id, requests: approval.requests, complaints: approval.complaints };
}

/** An event of a turn. Events come in the order in which they happen. */
export type TurnEvent =
  | { readonly type: "question"; readonly asked: string; readonly question: string }
  | { readonly type: "thought"; readonly text: string }
  | { readonly type: "action"; readonly id: string; readonly tool: string; readonly toolInput: ToolInput }
  | {
      readonly type: "observation";
      readonly id?: string;
      readonly text: string;
      readonly status: ActionResult["status"];
    }
  | PersonAsked
  | ApprovalDecided
  | ProtocolFallback
  | AnswerDelta
  | TextDelta
  | { readonly type: "answer"; readonly text: string; readonly stopReason: StopReason };

/** An event that a node writes to LangGraph's `custom` stream. */
export const writtenEventSchema = z.discriminatedUnion("type", [
  protocolFallbackSchema,
  answerDeltaSchema,
  textDeltaSchema,
  approvalDecidedSchema,
]);
export type WrittenEvent = z.infer<typeof writtenEventSchema>;
