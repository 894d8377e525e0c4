import type { BaseMessage } from "@langchain/core/messages";
import { type InferStateSchemaUpdate, MessagesValue, ReducedValue, StateSchema } from "@langchain/langgraph";
import { z } from "zod";
import { type ChatHistory, chatHistorySchema, emptyChatHistory, seenMessageSchema } from "./chat-history.js";
import {
  type AgentAction,
  agentActionSchema,
  type Decision,
  decisionSchema,
  type IntermediateStep,
  intermediateStepSchema,
  type Reply,
  replySchema,
  type StopReason,
  stopReasonSchema,
} from "./decision.js";
import { joinOutside, type OutsideText, outsideTextSchema } from "./outside.js";
import { type PromptRecord, promptRecordSchema } from "./prompt-record.js";
import { type QuietCall, quietCallSchema } from "./quiet-call.js";
import { type Retrieval, retrievalSchema } from "./retrieval.js";
import { type Citation, citationSchema, type Source, sourceSchema } from "./source.js";
import { askedSchema } from "./times.js";
import { countsSchema, noUsage, type Usage, usageSchema } from "./usage.js";

export const turnSchema = z.object({
  number: z.number().int(),
  id: z.string(),
  asked: z.string(),
  startedAt: z.string(),
  message: seenMessageSchema,
  instructions: z.string().optional(),
  mark: z.string(),
  continued: z.object({ steps: z.number(), usage: countsSchema }).optional(),
  stopped: askedSchema.optional(),
});

/**
 * A turn of a thread. `number` counts the turns of the thread from 1. `id` is unique. `asked` is the question as asked.
 * `startedAt` is the time at which the turn began (ISO 8601, UTC). `message` is the message of the question.
 * `instructions` is the text of the system messages that came with the question, if there were any. `mark` stands in text from outside where it looks like a part of a
 * prompt. `continued` is the number of steps and the cost at which the turn was continued after a limit: its limits count
 * from there. `stopped` is the asking for a reply that did not come before the turn was stopped.
 */
export interface Turn extends z.infer<typeof turnSchema> {}

/** The turn of a thread on which nothing was asked yet. */
export const noTurn: Turn = { number: 0, id: "", asked: "", startedAt: "", message: { id: "", digest: "" }, mark: "" };

/**
 * The version of {@link AgentState}. Raise it with every change that an older Glassloop could not read. Until 0.1.0 is
 * published it stays 1, and the state changes in place.
 */
export const STATE_VERSION = 1;

/** The state of a thread: plain data, and all of it is in each checkpoint. */
export interface AgentStateValues {
  /** The public conversation for LangGraph clients. It is never trimmed. */
  messages: BaseMessage[];
  /** The newest turn. */
  turn: Turn;
  /** The question of the turn as one that stands on its own, or as asked. */
  question: string;
  /** The model's last reply. */
  reply: Reply | null;
  /** What the newest prompt was made of, beside the state. */
  prompt: PromptRecord | null;
  /** The model calls of the turn that are no steps. */
  quietCalls: QuietCall[];
  /** What the node `parse` read in the reply. */
  decision: Decision | null;
  /** The steps of the turn: each reply with its decision and the results of its tools. */
  intermediateSteps: IntermediateStep[];
  /**
   * The places that tools named in the turn, and in earlier turns while prompts show one of them: each passage once. Citations
   * count them from 1.
   */
  sources: Source[];
  /** What a retrieval agent did to find the passages of the turn. */
  retrieval: Retrieval | null;
  /** The earlier turns, as prompts show them. */
  chatHistory: ChatHistory;
  /** The answer of the turn, in the words of the model. */
  answer: string | null;
  /** The citations in the answer. */
  citations: Citation[];
  /** The answer as data: plain JSON, in the form of the option `output`. */
  output: unknown;
  /** Why the turn ended. */
  stopReason: StopReason | null;
  /** The cost of the turn and of the thread. */
  usage: Usage;
  /**
   * The text from outside that came into the thread. The list only grows, so it ends where the thread goes back before it. Null:
   * no turn has begun since the thread keeps the list.
   */
  outside: OutsideText[] | null;
  /** The calls of earlier turns that wait for a person, who is asked about them again when the turn has ended. */
  kept: AgentAction[];
  /** The time in milliseconds that the runs of the turn took. */
  workedMs: number;
}

/** The channels of a thread's state. All of it is plain data, and all of it is in each checkpoint. */
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
  kept: z.array(agentActionSchema).default(() => []),
  workedMs: z.number().default(0),
});

/** What a node or `updateState` may write to a state. */
export interface AgentStateUpdate extends InferStateSchemaUpdate<typeof AgentState.fields> {}
