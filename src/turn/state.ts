import { MessagesValue, ReducedValue, StateSchema } from "@langchain/langgraph";
import { z } from "zod";
import { chatHistorySchema, emptyChatHistory } from "./chat-history.js";
import { decisionSchema, intermediateStepSchema, replySchema, stopReasonSchema } from "./decision.js";
import { noUsage, usageSchema } from "./usage.js";

/**
 * Which turn of the thread this is (counted from 1), the words as asked, when it began (ISO 8601, UTC), and what the ids of
 * its actions and messages begin with: its number, where an older Glassloop gave it no name. `instructions` is the text of
 * the system messages that came with the question; left out when there were none.
 */
export const turnSchema = z.object({
  number: z.number().int(),
  asked: z.string(),
  startedAt: z.string(),
  name: z.string().optional(),
  instructions: z.string().optional(),
});
export type Turn = z.infer<typeof turnSchema>;

const noTurn: Turn = { number: 0, asked: "", startedAt: "" };

/**
 * The state of a thread: plain data, all of it checkpointed.
 *
 * `messages` is the public conversation that LangGraph clients show, and is never trimmed. `turn`, `question`, `reply`,
 * `decision`, `intermediateSteps`, `answer` and `stopReason` are those of the newest turn; `chatHistory` is what prompts
 * see of the turns before; `usage` is what the turn and the thread cost.
 */
export const AgentState = new StateSchema({
  messages: MessagesValue,
  turn: turnSchema.default(noTurn),
  question: z.string().default(""),
  reply: replySchema.nullable().default(null),
  decision: decisionSchema.nullable().default(null),
  intermediateSteps: new ReducedValue(
    z.array(intermediateStepSchema).default(() => []),
    { inputSchema: intermediateStepSchema, reducer: (steps, step) => [...steps, step] },
  ),
  chatHistory: chatHistorySchema.default(emptyChatHistory),
  answer: z.string().nullable().default(null),
  stopReason: stopReasonSchema.nullable().default(null),
  usage: usageSchema.default(noUsage),
});
export type AgentStateValues = typeof AgentState.State;
export type AgentStateUpdate = typeof AgentState.Update;
