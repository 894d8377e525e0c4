import { type BaseMessage, isBaseMessage } from "@langchain/core/messages";
import { z } from "zod";
import { contentBlockSchema } from "../../content/content-block.js";
import { paused } from "../../provider-forms/finish-reason.js";
import { providerStepSchema } from "../../provider-forms/provider-steps.js";
import { toolInputSchema } from "../../tool-inputs/tool-input.js";
import { approvalDecisionSchema, decidedSchema } from "./approval.js";
import { outsideTextSchema } from "./outside.js";
import { shortenedSchema } from "./prompt-record.js";
import { askedSchema, timesSchema } from "./times.js";
import { countsSchema } from "./usage.js";

/** Writes a call in words, with the input as the model wrote it. */
export function writeCall({ name, args }: { readonly name: string; readonly args: Record<string, unknown> }): string {
  const isText = typeof args.input === "string" && Object.keys(args).length === 1;
  return `Called ${name}: ${isText ? args.input : JSON.stringify(args)}`;
}

const answerReasons = ["answered", "returned", "length", "refused", "not-found", "ungrounded"] as const;
const limitReasons = [
  "step-limit",
  "tool-call-limit",
  "model-call-limit",
  "token-limit",
  "cost-limit",
  "time-limit",
  "repeats",
  "stop-condition",
  "unreadable",
  "invalid-output",
] as const;
const otherReasons = ["filtered", "cancelled", "interrupted", "failed"] as const;

export const stopReasonSchema = z.enum([...answerReasons, ...limitReasons, ...otherReasons]);

/**
 * The reason for the end of a turn:
 *
 * - `answered`: the model gave an answer.
 * - `returned`: a tool that returns directly gave the answer.
 * - `length`: the model gave an answer, and the token limit cut it off. The answer is what there is of it.
 * - `refused`: the model refused to answer. The answer is what it said.
 * - `not-found`: a retrieval agent found nothing that helps. The answer says what was searched.
 * - `ungrounded`: its checked answer does not follow from the passages. `retrieval.complaint` says why.
 *
 * At a limit of the agent the answer is the best one from what was observed, or a sentence that says why there is none:
 *
 * - `step-limit`: the turn took the largest number of steps (`maxSteps`).
 * - `tool-call-limit`: it called one tool the largest number of times (`maxToolCalls`).
 * - `model-call-limit`, `token-limit`, `cost-limit`: it spent what it may (`maxModelCalls`, `maxTokens`, `maxDollars`).
 * - `time-limit`: it worked as long as it may (`maxTurnMs`).
 * - `repeats`: it made calls again that it had made before, and got the same results.
 * - `stop-condition`: a condition of yours was met (`stopWhen`).
 * - `unreadable`: too many replies in a row could not be read (`maxUnreadable`).
 * - `invalid-output`: so many answers in a row did not fit the option `output`.
 *
 * There is no answer in the other cases:
 *
 * - `filtered`: the provider's content filter stopped the reply. The answer is what there is of it, or says so.
 * - `cancelled`: the caller stopped the turn. The answer is what was shown of it, or says so.
 * - `interrupted`: the turn was stopped in another way, and a new question came before it continued.
 * - `failed`: the turn failed with an error, and a new question came before it continued.
 */
export type StopReason = z.infer<typeof stopReasonSchema>;

/** Tells what a turn has at its end: an `answer`, an answer at a `limit` (the turn can be continued), or `none`. */
export function endOf(stopReason: StopReason | "waiting" | "handed-over"): "answer" | "limit" | "none" {
  const isOne = (reasons: readonly string[]) => reasons.includes(stopReason);
  if (isOne(limitReasons)) return "limit";
  return isOne(answerReasons) ? "answer" : "none";
}

export const lastCallSchema = z.object({
  stopReason: stopReasonSchema,
  why: z.string(),
  isAsked: z.boolean(),
  request: z.string().optional(),
});

/**
 * The limit at which a turn ends. `why` says it in a part of a sentence. `isAsked` tells whether the model was asked for a
 * last answer. `request` is the text that asked for it, if no step has it.
 */
export interface LastCall extends z.infer<typeof lastCallSchema> {}

/** A native tool call as the model made it. */
export const toolCallSchema = z.object({
  id: z.string().optional(),
  name: z.string(),
  args: z.record(z.string(), z.unknown()),
});

/** A native tool call with unreadable arguments. */
export const invalidToolCallSchema = z.object({
  id: z.string().optional(),
  name: z.string().optional(),
  args: z.string().optional(),
  error: z.string().optional(),
});

const fields = z.record(z.string(), z.unknown());

export const givenMessageSchema = z.object({
  content: z.array(contentBlockSchema).optional(),
  additional_kwargs: fields.optional(),
  response_metadata: fields.optional(),
  usage_metadata: fields.optional(),
});

/**
 * The message of a reply as the provider gave it, beside its text and its calls. `content` are its blocks; it is left out if the
 * content is the text.
 */
export interface GivenMessage extends z.infer<typeof givenMessageSchema> {}

/** Returns what stays of a message whose words were changed. OpenAI's `output` holds the words, too, and is sent verbatim. */
export function unsigned({ response_metadata, usage_metadata }: GivenMessage): GivenMessage {
  const { output, ...metadata } = response_metadata ?? {};
  return { response_metadata: metadata, ...(usage_metadata && { usage_metadata }) };
}

export const replySchema = z.object({
  text: z.string(),
  toolCalls: z.array(toolCallSchema).default([]),
  invalidToolCalls: z.array(invalidToolCallSchema).default([]),
  finishReason: z.string().optional(),
  protocol: z.string().optional(),
  model: z.string().optional(),
  id: z.string().optional(),
  sha256: z.string().optional(),
  shortened: shortenedSchema.optional(),
  last: lastCallSchema.optional(),
  message: givenMessageSchema.optional(),
  changed: z.literal(true).optional(),
  isRead: z.literal(true).optional(),
  byProvider: z.array(providerStepSchema).optional(),
  ...askedSchema.partial().shape,
});

/**
 * The reply of a model as data. `text` is its text, cut at the first observation that the model invented.
 * `finishReason` is the provider's reason for the end (`stop`, `length`, `content_filter`, `refusal`, …). `protocol` is the
 * name of the protocol in which the model was asked, `model` the name of the model. `id` is the beginning of the ids of its actions and messages. `sha256` is that of the
 * prompt as it was sent. `shortened` is what that prompt showed only in part; it is left out if it showed all. `last` is the
 * limit at which the reply is the last one of its turn. No model was asked for a reply without `model`. `message` holds what else
 * the provider gave, until it stands in `messages`. `changed` is true if a plug-in or the filter of secrets changed the reply: what
 * the provider signed is then left out. `isRead` is true if a plug-in made or changed the words and the calls: they count as they are. `byProvider` is what tools of the
 * provider did for the reply. `times` and `usage` are those of all its tries ({@link Asked}); a thread of before has none.
 */
export interface Reply extends z.infer<typeof replySchema> {}

/** Returns a reply that was changed: without what the provider signed, and with what its tools did beside the message. */
export function changedReply({ message = {}, ...reply }: Reply): Reply {
  const { response_metadata, ...given } = unsigned(message);
  const steps = reply.byProvider && { providerSteps: reply.byProvider };
  return { ...reply, message: { ...given, response_metadata: { ...response_metadata, ...steps } }, changed: true };
}

/** Returns a reply that was read: its message stands in `messages` then. */
export function withoutMessage({ message, ...reply }: Reply): Reply {
  return reply;
}

export const parsedActionSchema = z.object({
  tool: z.string(),
  toolInput: toolInputSchema,
  log: z.string(),
  callId: z.string().optional(),
  written: z.string().optional(),
});

/**
 * A tool call in a parsed reply. It becomes an {@link AgentAction} when the `parse` node adds an id. `callId` is the id that the
 * provider gave to a native call. `written` is a call that stands in the text of the reply, as it stands there: its name and its
 * arguments. A call that only repeats a text from outside is known by it.
 */
export interface ParsedAction extends z.infer<typeof parsedActionSchema> {}

export const agentActionSchema = parsedActionSchema.omit({ written: true }).extend({
  id: z.string(),
  copied: z.literal(true).optional(),
  ordered: z.literal(true).optional(),
  unsure: z.object({ finishReason: z.string(), asks: z.boolean() }).optional(),
  approved: z.boolean().optional(),
});

/**
 * A tool call that the agent decided on (LangChain's `AgentAction`, with an id). `log` is the text that led to it. The
 * id is `<reply>-<n>`. It is unique in all branches of the conversation, and stays the same when a node runs again. `callId` is
 * left out if the conversation has a call with this id already. `copied` is true for a call that only repeats a text from outside: a
 * person decides about it. `ordered` is true for a call after the answer of its turn, which a person ordered, or which waits since an earlier turn: if it has effects, a person decides about it.
 * `approved` is set where a plug-in asked a person about a reply: false if the call was changed since, so that it is not made.
 * `unsure` is a call with effects in a reply whose finish reason nobody knows: a person decides about it, or it is refused if nobody can be asked.
 */
export interface AgentAction extends z.infer<typeof agentActionSchema> {}

/** Returns the id of an action's call in the messages: that of the provider, or the action's own. */
export function callIdOf({ id, callId }: Pick<AgentAction, "id" | "callId">): string {
  return callId ?? id;
}

/** The thought of the model before its action or answer, without the labels of the protocol. */
const thought = z.string().optional();

const cutSchema = z.enum(["length", "filtered"]);

export const parsedReplySchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("action"),
    actions: z.array(parsedActionSchema).min(1),
    thought,
  }),
  z.object({ kind: z.literal("finish"), output: z.string(), thought, cut: cutSchema.optional() }),
  z.object({
    kind: z.literal("unparseable"),
    why: z.string(),
    ifRepeated: z.string().optional(),
    ifShown: z.string().optional(),
    atLimit: z.string().optional(),
  }),
]);

/**
 * The result of a protocol's parser: data, never an exception. `cut` is the reason why an answer ends in the middle. It
 * is left out for a whole answer.
 *
 * A reply with a call may be an answer that shows the call. `ifRepeated` is the answer if the model writes the same reply again after
 * its correction. `ifShown` is the answer if the correction before asked how a call is meant: here it stands in a fence or in
 * quotes. `atLimit` is the answer only if a limit ends the turn.
 */
export type ParsedReply = z.infer<typeof parsedReplySchema>;

export const decisionSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("action"), actions: z.array(agentActionSchema).min(1), thought }),
  z.object({
    kind: z.literal("finish"),
    output: z.string(),
    stopReason: stopReasonSchema,
    why: z.string().optional(),
    thought,
  }),
  z.object({
    kind: z.literal("unparseable"),
    why: z.string(),
    correction: z.string(),
    limit: stopReasonSchema.optional(),
  }),
]);

/**
 * The decision of the `parse` node: a {@link ParsedReply} with ids, a stop reason, or a correction for the model. `limit` is
 * the limit that keeps the reply from being followed. The correction then asks for the answer. `why` of a finish says which
 * limit the turn reached.
 */
export type Decision = z.infer<typeof decisionSchema>;

export const actionResultSchema = z.object({
  action: agentActionSchema,
  observation: z.string(),
  status: z.enum(["success", "error", "unknown"]),
  note: z.string().optional(),
  content: z.array(contentBlockSchema).optional(),
  artifact: z.unknown().optional(),
  additional_kwargs: fields.optional(),
  decision: approvalDecisionSchema.optional(),
  decided: decidedSchema.optional(),
  outside: z.array(outsideTextSchema).optional(),
  times: timesSchema.partial({ ms: true }).optional(),
  usage: countsSchema.optional(),
});

/**
 * The result of one action. `observation` is the text of the tool, or our text on why there is none. `status` says whether the
 * tool worked. It is `unknown` if the run stopped between the start of a call with effects and its result. `note` is what we tell
 * the model beside the text: that a person edited the input, that the call was made before, that a part was left out. `content`
 * is what the tool returned in blocks: text, images, files. `artifact` and `additional_kwargs` are what it returned for the program.
 * `decision` is what a person decided about the action, and `decided` says who and when. `outside` is the text from outside that it
 * brought. `times` are those of the tool: when it was called first, and how long the call took that gave the result, if that is known.
 * `usage` is the cost of the agents in it. These nine are left out if there is none.
 */
export interface ActionResult extends z.infer<typeof actionResultSchema> {}

/** A node to go to, or LangGraph's `Send` as data. */
const destinationSchema = z.union([z.string(), z.object({ node: z.string(), args: z.unknown() })]);

export const toolCommandSchema = z.object({
  messages: z.array(z.custom<BaseMessage>(isBaseMessage)),
  goto: z.array(destinationSchema),
  toParent: z.boolean(),
  update: z.record(z.string(), z.unknown()),
});

/**
 * A `Command` that a tool returned, as data. `messages` join the conversation. `goto` says where to go on. The other
 * fields are for a hand-over: `toParent` is true if the command is for the graph around the agent, and `update` has what
 * it writes there beside the messages.
 */
export interface ToolCommand extends z.infer<typeof toolCommandSchema> {}

export const outcomeSchema = actionResultSchema
  .omit({ action: true, decision: true, decided: true })
  .extend({ command: toolCommandSchema.optional() });

/** The outcome of a tool call: its result, and the command that came with it. */
export interface Outcome extends z.infer<typeof outcomeSchema> {}

/** An action that has run. */
export interface Acted extends ActionResult, Outcome {}

export const intermediateStepSchema = z.object({
  reply: replySchema,
  decision: decisionSchema,
  results: z.array(actionResultSchema),
});

/** One step of a turn: a reply, its decision, and the results of the tools. An unreadable reply has no results. */
export interface IntermediateStep {
  reply: Reply;
  decision: Decision;
  results: ActionResult[];
}

/** Tells whether the reply of a step stands in the messages: its calls were made, or the provider paused it. */
export function isFollowed({ decision, reply }: IntermediateStep): boolean {
  return decision.kind !== "unparseable" || reply.finishReason === paused;
}

/** Returns the replies of a turn so far, oldest first. */
export function repliesIn({
  intermediateSteps,
  reply: newest,
}: {
  readonly intermediateSteps: readonly IntermediateStep[];
  readonly reply: Reply | null;
}): Reply[] {
  const replies = intermediateSteps.map(({ reply }) => reply);
  const isPending = newest !== null && !replies.some(({ id }) => id === newest.id);
  return isPending ? [...replies, newest] : replies;
}
