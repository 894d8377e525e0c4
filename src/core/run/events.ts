import { z } from "zod";
import { type ErrorCode, GlassloopError, ModelError, type ModelErrorKind } from "../../base/errors.js";
import { toolInputSchema } from "../../tool-inputs/tool-input.js";
import { approvalDecisionSchema, approvalRequestSchema, decidedSchema, readApproval } from "../state/approval.js";
import { actionResultSchema, replySchema, stopReasonSchema } from "../state/decision.js";
import { quietPurposes } from "../state/quiet-call.js";
import { citationSchema, citedSourceSchema } from "../state/source.js";
import { timesSchema } from "../state/times.js";
import { tokensSchema, usageSchema } from "../state/usage.js";

/**
 * The origin of an event:
 *
 * - `thread`: the id of the thread; left out if there is none.
 * - `turn`: the id of the turn. No other turn of any thread, branch or agent has it. An error before the turn began has
 *   an empty one.
 * - `step`: the number of the step in the turn, from 1. 0 before the first step.
 * - `time`: the time of the event (ISO 8601, UTC).
 * - `path`: the names of the tools and nodes that lead from the agent that runs to the agent of the event. `[]` for the agent
 *   that runs.
 */
const origin = {
  thread: z.string().optional(),
  turn: z.string(),
  step: z.int().min(0),
  time: z.iso.datetime(),
  path: z.array(z.string()),
};

function event<Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return z.object({ type: z.literal(type), ...origin, ...shape });
}

const id = z.string();
const text = z.string();
const by = z.literal("provider").optional();
const action = { id, tool: text, toolInput: toolInputSchema };
const stopReason = z.union([stopReasonSchema, z.enum(["waiting", "handed-over"])]);
const approval = { interrupt: z.string(), requests: z.array(approvalRequestSchema), complaints: z.array(z.string()) };
const interrupt = { interrupt: z.string(), value: z.unknown() };
const waiting = z.discriminatedUnion("type", [
  z.object({ type: z.literal("approval"), ...approval }),
  z.object({ type: z.literal("interrupt"), ...interrupt }),
]);
const milliseconds = z.number().min(0);
/** The purpose of a model call: the reply of a step, or one of those that are no steps. */
const purpose = z.enum(["reply", ...quietPurposes]);
export type Purpose = z.infer<typeof purpose>;
const message = z.object({ type: text, content: z.unknown(), toolCalls: z.unknown().optional() });
const kind = z.custom<ModelErrorKind>((value) => typeof value === "string");
const code = z.custom<ErrorCode>((value) => typeof value === "string");

/**
 * The schema of an event of a turn. Use it to parse events of another process, such as a line of `--json`.
 *
 * @example
 * const event = turnEventSchema.parse(JSON.parse(line));
 */
export const turnEventSchema = z.discriminatedUnion("type", [
  /**
   * `resumed` is true if the turn goes on after a stop, and `actions` are those it goes on with: their events came in an earlier
   * run. `action` is the action whose tool called the agent.
   */
  event("turn-start", {
    asked: text,
    number: z.int(),
    resumed: z.boolean(),
    actions: z.array(z.object(action)).optional(),
    action: id.optional(),
  }),
  /** The question of the turn ended a turn that waited for a person: what was asked there is not asked any more. */
  event("dropped", { questions: z.array(z.object(interrupt)).readonly() }),
  event("question", { asked: text, question: text }),
  event("model-start", { purpose, model: text }),
  /** A whole prompt, for a reader who wants prompts. `tools` are the names of those that the model gets natively. */
  event("prompt", { purpose, model: text, messages: z.array(message), stop: z.array(text), tools: z.array(text) }),
  /** A whole reply as it was read, for the same reader. */
  event("reply", { purpose, model: text, text, toolCalls: replySchema.shape.toolCalls }),
  /** The tokens of the call with all its tries. They are left out if no reply came. */
  event("model-end", { purpose, model: text, ...tokensSchema.partial().shape }),
  /**
   * `attempt` is the number of the try that comes now, from 2. `milliseconds` is the wait before it. The pieces of the
   * reply that came do not count any more, if the `purpose` is `reply`.
   */
  event("retry", { purpose, attempt: z.int().min(2), why: text, milliseconds }),
  /** A model failed. The next one is asked, to the end of the turn. `from` and `to` are their names. */
  event("model-fallback", { purpose, from: text, to: text, why: text }),
  event("protocol-fallback", { from: text, to: text, why: text }),
  /** The server of a model refused a `part` of a request, which the agent leaves out of its later requests for an hour. */
  event("refusal", { part: text, model: text, why: text }),
  /**
   * The prompt was too long for the model. It shows `observations` observations in their first words, and leaves out the
   * oldest `turns` turns. `why` has the words of the server, if it refused the whole prompt.
   */
  event("files-named", { why: text }),
  event("shortened", { observations: z.int(), turns: z.int(), why: text.optional() }),
  /** A retrieval agent decided where to search. Without `retrievers` it answers without documents. */
  event("route", { retrievers: z.array(text), severalSearches: z.boolean() }),
  /** A search brings its index up to date first. So many of the `total` new documents are read, or passages embedded. */
  event("indexing", { work: z.enum(["reading", "embedding"]), done: z.int(), total: z.int() }),
  /**
   * A retrieval agent searched. `found` is the number of passages. `error` has the words of a retriever that failed, and
   * `notSearched` says what it did not look at, and why.
   */
  event("search", {
    retriever: text,
    query: text,
    found: z.int(),
    error: text.optional(),
    notSearched: text.optional(),
    times: timesSchema.optional(),
  }),
  /** A reranker kept some passages of a search and dropped others. If it failed, `error` has its words, and all are kept. */
  event("rerank", { kept: z.int(), dropped: z.int(), error: text.optional() }),
  /**
   * A retrieval agent looked which passages help: `kept` of them do, and `dropped` do not. `undecided` has the reply of a model
   * that decided nothing, even when it was asked again: all passages are kept then.
   */
  event("grade", { kept: z.int(), dropped: z.int(), undecided: text.optional() }),
  /**
   * A retrieval agent checked its answer. `complaint` says what is wrong with it; it is empty if the answer is right.
   * `undecided` has the reply of a model that decided nothing, even when it was asked again: the answer is not confirmed then.
   */
  event("check", { complaint: text, undecided: text.optional() }),
  /** A piece of the model's reasoning before its reply, if the provider shows it. It is no part of the answer. */
  event("reasoning-delta", { text }),
  /** The whole reasoning of a reply. */
  event("reasoning", { text }),
  event("text-delta", { text }),
  event("thought", { text }),
  event("correction", { text }),
  /** `by` is left out for a tool of the agent. A tool of the provider ran there, and its id is that of the provider. */
  event("action", { ...action, by }),
  event("approval", approval),
  event("interrupt", interrupt),
  event("decision", { id, decision: approvalDecisionSchema, decided: decidedSchema.optional() }),
  event("observation", { id, text, status: actionResultSchema.shape.status, by }),
  /** A piece of the answer. The concatenated pieces since the last `answer-reset` of the turn are the answer. */
  event("answer-delta", { text }),
  /** The output as far as the model has written it. Nothing of it is checked, and a text or a number at its end may be cut. */
  event("output-delta", { output: z.unknown() }),
  /** The pieces of the answer and of the output that came do not count any more: their reply is not followed. */
  event("answer-reset", {}),
  /**
   * The citations in the answer, checked against their sources. The check does not change the answer. Emitted only for an
   * answer with citations.
   */
  event("citations", { citations: z.array(citationSchema).readonly() }),
  /**
   * `output` is the answer as data, if the agent has an `output`. `sources` are the sources that the answer cites. `why` says
   * which limit the turn reached, or why the passages do not confirm the answer.
   */
  event("answer", {
    text,
    output: z.unknown().optional(),
    sources: z.array(citedSourceSchema).readonly().optional(),
    stopReason: stopReasonSchema,
    why: text.optional(),
  }),
  /** `code` is that of a {@link GlassloopError}, and `kind` that of a {@link ModelError}. */
  event("error", { name: text, code: code.optional(), message: text, kind: kind.optional() }),
  /** `waiting` has the questions of a turn that waits for a person. `milliseconds` is the time that the run took. */
  event("turn-end", { stopReason, waiting: z.array(waiting).optional(), usage: usageSchema, milliseconds }),
]);

/** An event of a turn. Events come in the order in which they happen. */
export type TurnEvent = Readonly<z.infer<typeof turnEventSchema>>;

/** The events of one type. */
export type EventOf<Type extends TurnEvent["type"]> = Extract<TurnEvent, { readonly type: Type }>;

/** An event of some types, without its origin. */
export type EventDetails<Type extends TurnEvent["type"] = TurnEvent["type"]> = {
  [One in Type]: Omit<EventOf<One>, keyof typeof origin>;
}[Type];

/**
 * A question to a person, with which a turn stops. An `approval` has the actions that wait for a decision. Its
 * `complaints` are the reasons why an answer was not taken. An `interrupt` has what a tool asked with LangGraph's
 * `interrupt`. The field `interrupt` is the id of LangGraph's interrupt.
 */
export type PersonAsked = EventDetails<"approval" | "interrupt">;

/** Reads the question of an interrupt. */
export function personAsked({ id = "", value }: { readonly id?: string; readonly value?: unknown }): PersonAsked {
  const approval = readApproval(value);
  if (approval === undefined) return { type: "interrupt", interrupt: id, value };
  return { type: "approval", interrupt: id, requests: approval.requests, complaints: approval.complaints };
}

/** Describes an error with which a turn failed. */
export function failure(error: unknown): EventDetails<"error"> {
  if (!(error instanceof Error)) return { type: "error", name: "Error", message: String(error) };
  const { name, message } = error;
  const code = error instanceof GlassloopError && { code: error.code };
  return { type: "error", name, ...code, message, ...(error instanceof ModelError && { kind: error.kind }) };
}

/** Returns the event for an error that came before a turn began. */
export function failureBeforeTurn(error: unknown, thread?: string): EventOf<"error"> {
  const time = new Date().toISOString();
  return { ...failure(error), ...(thread !== undefined && { thread }), turn: "", step: 0, time, path: [] };
}
