import { AIMessage, type BaseMessage, isBaseMessage } from "@langchain/core/messages";
import { z } from "zod";
import { INPUT_CHANNEL } from "../base/langgraph-names.js";
import { shorten } from "../base/shorten.js";
import { chatHistoryOf } from "../turn/chat-history.js";
import { decisionSchema } from "../turn/decision.js";
import { drawReplyId } from "../turn/reply-id.js";
import { type Turn, turnSchema } from "../turn/state.js";
import type { Repair } from "./graph/unfinished-thread.js";

const valuesSchema = z.looseObject({
  messages: z.array(z.custom<BaseMessage>(isBaseMessage)).default([]),
  turn: turnSchema.default({ number: 0, asked: "", startedAt: "" }),
  decision: decisionSchema.nullish().catch(undefined),
  // LangGraph keeps an input here until a node has seen it.
  [INPUT_CHANNEL]: z
    .object({ messages: z.array(z.custom<BaseMessage>(isBaseMessage)) })
    .optional()
    .catch(undefined),
});

/**
 * The repair of a thread whose last turn was stopped, was killed or failed half-way. It runs when a new question
 * arrives. It ends the old turn with an answer that says so, as every question in the conversation needs an answer.
 * Tool calls are not undone.
 */
export const interruptedTurn: Repair = ({ values, next, failure, waits }) => {
  const read = valuesSchema.safeParse(values).data;
  if (read === undefined || next.length === 0) return undefined;
  const { messages, turn, decision, [INPUT_CHANNEL]: input } = read;
  const isUnstarted = next.includes(INPUT_CHANNEL) || next.includes("rephrase-question");
  const asked = [...messages, ...(input?.messages ?? [])];
  const number = isUnstarted ? turn.number + 1 : turn.number;
  const tools = next.includes("act") && decision?.kind === "action" ? decision.actions.map(({ tool }) => tool) : [];
  const stopReason = failure === undefined ? "interrupted" : "failed";
  const current = isUnstarted ? unstartedTurn(number, asked) : turn;
  const output = sentences(whyUnanswered(failure), effectsOf(tools, waits));
  return {
    asNode: "parse",
    values: {
      messages: [...(input?.messages ?? []), new AIMessage({ id: `${drawReplyId()}-${stopReason}`, content: output })],
      answer: output,
      stopReason,
      decision: { kind: "finish", output, stopReason },
      ...(isUnstarted && { turn: current }),
      ...(number === 1 && isUnstarted && { chatHistory: chatHistoryOf(asked.slice(0, -1)) }),
    },
  };
};

function whyUnanswered(failure: string | undefined): string {
  if (failure === undefined) return "I did not answer this question: the turn was interrupted.";
  return `I did not answer this question, because of an error: ${shorten(failure.trim(), 500)}`;
}

function effectsOf(tools: readonly string[], waits: boolean): string {
  const names = tools.join(", ");
  if (tools.length === 0) return "";
  if (!waits) return `It was about to use ${names}, which may or may not have happened.`;
  if (tools.length === 1) return `It was waiting for a decision about ${names}, and ${names} did nothing.`;
  return `It was waiting for a decision about ${names}. What waited did nothing; the rest may have happened.`;
}

function sentences(first: string, second: string): string {
  if (second === "") return first;
  return `${/[.!?…]$/.test(first) ? first : `${first}.`} ${second}`;
}

function unstartedTurn(number: number, messages: readonly BaseMessage[]): Turn {
  const question = messages.at(-1);
  return {
    number,
    asked: question?.text.trim() ?? "",
    startedAt: new Date().toISOString(),
    ...(question?.id && { questionId: question.id }),
  };
}
