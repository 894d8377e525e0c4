import { MessagesValue, ReducedValue, StateSchema } from "@langchain/langgraph";
import { z } from "zod";
import { chatHistorySchema, emptyChatHistory, seenMessageSchema } from "./chat-history.js";
import { citationSchema } from "./citation.js";
import { decisionSchema, intermediateStepSchema, replySchema, stopReasonSchema } from "./decision.js";
import { joinOutside, outsideTextSchema } from "./outside.js";
import { promptRecordSchema } from "./prompt-record.js";
import { quietCallSchema } from "./quiet-call.js";
import { retrievalSchema } from "./retrieval.js";
import { sourceSchema } from "./source.js";
import { countsSchema, noUsage, usageSchema } from "./usage.js";

/**
 * A turn of a thread. `number` counts the turns of the thread from 1. `id` is unique. `asked` is the question as asked.
 * `startedAt` is the time at which the turn began (ISO 8601, UTC). `message` is the message of the question.
 * `instructions` is the text of the system messages that came with the question, if there were any. `since` is what other
 * agents of an outer graph said after the question. `mark` stands in text from outside where it looks like a part of a
 * prompt. `continued` is the number of steps and the cost at which the turn was continued after a limit: its limits count
 * from there.
 */
export const turnSchema = z.object({
  number: z.number().int(),
  id: z.string(),
  asked: z.string(),
  startedAt: z.string(),
  message: seenMessageSchema,
  instructions: z.string().optional(),
  since: z.string().optional(),
  mark: z.string(),
  continued: z.object({ steps: z.number(), usage: countsSchema }).optional(),
});
export type Turn = z.infer<typeof turnSchema>;

/** The turn of a thread on which nothing was asked yet. */
export const noTurn: Turn = { number: 0, id: "", asked: "", startedAt: "", message: { id: "", digest: "" }, mark: "" };

/**
 * The version of {@link AgentState}. Raise it with every change that an older Glassloop could not read. Until 0.1.0 is
 * published it stays 1, and the state changes in place.
 */
export const STATE_VERSION = 1;

/**
 * The state of a thread: plain data, and all of it is in each checkpoint.
 *
 * `messages` is the public conversation for LangGraph clients. It is never trimmed. `turn`, `question`, `reply`,
 * `decision`, `intermediateSteps`, `answer`, `citations`, `output` and `stopReason` belong to the newest turn. `sources` are the
 * places that tools named in it, and in the earlier turns while prompts show one of them: each passage once. `citations` are those
 * in the answer. `retrieval` is what a retrieval agent did to find them. `prompt` is what the newest prompt was made of, beside the state.
 * `quietCalls` are the model calls of the turn that are no steps. `chatHistory` holds the earlier turns for prompts. `usage`
 * is the cost of the turn and of the thread. `outside` is the text from outside that came into the thread. It only grows, so it ends
 * where the thread goes back before it. Null: no turn has begun since the thread keeps it. `workedMs` is the time in milliseconds that the runs of the turn took.
 */
export const AgentState = new StateSchema({
  messages: MessagesValue,
  turn: turnSchema.default(noTurn),
  question: z.string().default(""),
  reply: replySchema.nullable().default(null),
  prompt: promptRecordSchema.nullable().default(null),
  quietCalls: z.array(quietCallSchema).default([]),
  decision: decisionSchema.nullable().default(null),
  intermediateSteps: new ReducedValue(
    z.array(intermediateStepSchema).default(() => []),
    { inputSchema: intermediateStepSchema, reducer: (steps, step) => [...steps, step] },
  ),
  sources: z.array(sourceSchema).default(() => []),
  retrieval: retrievalSchema.nullable().default(null),
  chatHistory: chatHistorySchema.default(emptyChatHistory),
  answer: z.string().nullable().default(null),
  citations: z.array(citationSchema).default(() => []),
  /** The answer as data: plain JSON, in the form of the option `output`. */
  output: z.unknown().default(null),
  stopReason: stopReasonSchema.nullable().default(null),
  usage: usageSchema.default(noUsage),
  outside: new ReducedValue(
    // LangGraph checks only what is to overwrite a channel by this schema.
    z
      .array(outsideTextSchema)
      .nullable()
      .refine(() => false, "text from outside stays in a thread; go back to a checkpoint before that text")
      .default(null),
    {
      inputSchema: z.array(outsideTextSchema),
      reducer: (known, found) => joinOutside(known ?? [], found),
    },
  ),
  workedMs: z.number().default(0),
});
export type AgentStateValues = typeof AgentState.State;
export type AgentStateUpdate = typeof AgentState.Update;
