import { z } from "zod";

/** What a tool is given: the text a prompted model wrote, or the arguments of a native or JSON call. */
export const toolInputSchema = z.union([z.string(), z.record(z.string(), z.unknown())]);
export type ToolInput = z.infer<typeof toolInputSchema>;

/** A tool's input as the arguments of a call. LangChain's tools of one text take it as `input`. */
export function toArguments(toolInput: ToolInput): Record<string, unknown> {
  return typeof toolInput === "string" ? { input: toolInput } : toolInput;
}

/** A native tool call as the model made it. */
export const toolCallSchema = z.object({
  id: z.string().optional(),
  name: z.string(),
  args: z.record(z.string(), z.unknown()),
});

/** A native tool call whose arguments could not be read. */
export const invalidToolCallSchema = z.object({
  id: z.string().optional(),
  name: z.string().optional(),
  args: z.string().optional(),
  error: z.string().optional(),
});

/**
 * The model's reply as data. `text` is what it wrote, cut at the first invented observation;
 * `finishReason` is the provider's word for why it stopped (`stop`, `length`, `content_filter`, …); `protocol` is the name
 * of the protocol that the model was asked to speak.
 */
export const replySchema = z.object({
  text: z.string(),
  toolCalls: z.array(toolCallSchema).default([]),
  invalidToolCalls: z.array(invalidToolCallSchema).default([]),
  finishReason: z.string().optional(),
  protocol: z.string().optional(),
});
export type Reply = z.infer<typeof replySchema>;

/** The `finishReason` of a reply that was meant to be a tool call, and that its server could not read (Gemini's word). */
export const malformedCall = "malformed_function_call";

/** What a protocol reads in a reply that asks for a tool: {@link AgentAction} before the node numbers it. */
export const parsedActionSchema = z.object({ tool: z.string(), toolInput: toolInputSchema, log: z.string() });
export type ParsedAction = z.infer<typeof parsedActionSchema>;

/**
 * A tool call the agent decided on (LangChain's `AgentAction`, with an id). `log` is the text that led to it.
 * The id is `<turn>-<step>-<n>`: unique in the conversation, and the same when a node runs again.
 */
export const agentActionSchema = parsedActionSchema.extend({ id: z.string() });
export type AgentAction = z.infer<typeof agentActionSchema>;

/**
 * Why a turn ended: the model gave an answer; a tool that returns directly gave it; the turn took as many steps as it
 * may; too many replies in a row could not be read; or it was interrupted, and a new question came before it went on.
 */
export const stopReasonSchema = z.enum(["answered", "returned", "step-limit", "unreadable", "interrupted"]);
export type StopReason = z.infer<typeof stopReasonSchema>;

/** Whether a turn that ended for a reason has answered its question. */
export const answersQuestion: Readonly<Record<StopReason, boolean>> = {
  answered: true,
  returned: true,
  "step-limit": false,
  unreadable: false,
  interrupted: false,
};

/** What the model thought before it acted or answered, without the protocol's labels. */
const thought = z.string().optional();

/** What a protocol's parser makes of a reply: data, never an exception. */
export const parsedReplySchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("action"), actions: z.array(parsedActionSchema).min(1), thought }),
  z.object({ kind: z.literal("finish"), output: z.string(), thought }),
  z.object({ kind: z.literal("unparseable"), why: z.string() }),
]);
export type ParsedReply = z.infer<typeof parsedReplySchema>;

/** What the `parse` node decides: {@link ParsedReply} with ids, a reason for the end, or a correction for the model. */
export const decisionSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("action"), actions: z.array(agentActionSchema).min(1), thought }),
  z.object({ kind: z.literal("finish"), output: z.string(), stopReason: stopReasonSchema, thought }),
  z.object({ kind: z.literal("unparseable"), why: z.string(), correction: z.string() }),
]);
export type Decision = z.infer<typeof decisionSchema>;

/**
 * What became of one action. `observation` is what the model is shown; `status` says whether the tool did its work:
 * `unknown` when the run was stopped between the start of a call with effects and its result.
 */
export const actionResultSchema = z.object({
  action: agentActionSchema,
  observation: z.string(),
  status: z.enum(["success", "error", "unknown"]),
});
export type ActionResult = z.infer<typeof actionResultSchema>;

/** One step of a turn: a reply, what was decided from it, and what the tools returned (nothing for an unreadable reply). */
export const intermediateStepSchema = z.object({
  reply: replySchema,
  decision: decisionSchema,
  results: z.array(actionResultSchema),
});
export type IntermediateStep = z.infer<typeof intermediateStepSchema>;
