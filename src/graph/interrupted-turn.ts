import { randomUUID } from "node:crypto";
import { AIMessage, type BaseMessage, isBaseMessage } from "@langchain/core/messages";
import { messagesStateReducer, Overwrite } from "@langchain/langgraph";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { shorten } from "../base/shorten.js";
import { drawMark } from "../content/marks.js";
import { lastObservations, lost } from "../content/missing-observations.js";
import { resultMessage } from "../core/nodes/action-messages.js";
import { isOlder, outsideInNew } from "../core/nodes/find-outside.js";
import { lastTurn } from "../core/nodes/remember.js";
import { type Calls, callOf } from "../core/run/notes.js";
import { chatHistorySchema, emptyChatHistory, seenMessage, turnsIn } from "../core/state/chat-history.js";
import {
  type ActionResult,
  type AgentAction,
  agentActionSchema,
  decisionSchema,
  intermediateStepSchema,
  replySchema,
  type StopReason,
  stopReasonSchema,
} from "../core/state/decision.js";
import { joinOutside, outsideTextSchema } from "../core/state/outside.js";
import { quietCallSchema } from "../core/state/quiet-call.js";
import { drawReplyId } from "../core/state/reply-id.js";
import { noTurn, type Turn, turnSchema } from "../core/state/state.js";
import { usageSchema } from "../core/state/usage.js";
import { INPUT_CHANNEL } from "../langgraph/names.js";
import { nextNodes } from "../langgraph/pending-nodes.js";
import { failureIn, waitsForAnswer } from "../langgraph/pending-writes.js";
import { stoppedRun, valuesLeft } from "./stopped-run.js";

const valuesSchema = z.looseObject({
  messages: z.array(z.custom<BaseMessage>(isBaseMessage)).default([]),
  turn: turnSchema.default(noTurn),
  decision: decisionSchema.nullish().catch(undefined),
  answer: z.string().nullish().catch(undefined),
  usage: usageSchema.optional().catch(undefined),
  chatHistory: chatHistorySchema.default(emptyChatHistory),
  reply: replySchema.nullable().default(null),
  intermediateSteps: z.array(intermediateStepSchema).default([]),
  stopReason: stopReasonSchema.nullable().default(null),
  outside: z.array(outsideTextSchema).nullable().default(null),
  quietCalls: z.array(quietCallSchema).default([]),
  kept: z.array(agentActionSchema).default([]),
  // LangGraph keeps an input here until a node has seen it.
  [INPUT_CHANNEL]: z.object({ messages: z.array(z.custom<BaseMessage>(isBaseMessage)) }).catch({ messages: [] }),
});

/**
 * Repairs a thread whose last turn was stopped, was killed or failed half-way, when a new question arrives. The old turn ends
 * with an answer that says what happened, because every question in the conversation needs an answer. Tool calls are not
 * undone: those that had finished keep their results.
 *
 * @param tuple The newest checkpoint of the thread. Beside it are the reasons for the end of the last run.
 * @param calls What is on record of the calls of its step.
 * @param name The name on the agent's messages.
 * @param keeps True if the calls that wait for a person are asked about again after the next turn.
 * @returns An update of the state, and the node that counts as its writer. Undefined if the thread needs no repair.
 */
export function interruptedTurn(tuple: CheckpointTuple, calls: Calls, name: string | undefined, keeps: boolean) {
  const { checkpoint, pendingWrites = [] } = tuple;
  const next = nextNodes(tuple);
  const stopped = stoppedRun(pendingWrites);
  const cancelled = stopped?.isCancelled ? stopped.shown : undefined;
  const failure = failureIn(pendingWrites);
  const waits = waitsForAnswer(pendingWrites);
  const values = stopped ? valuesLeft(checkpoint.channel_values, stopped, name) : checkpoint.channel_values;
  const read = valuesSchema.safeParse(values).data;
  if (read === undefined || next.length === 0) return undefined;
  const { turn, decision, usage, kept, quietCalls, [INPUT_CHANNEL]: input } = read;
  const isUnstarted = next.includes(INPUT_CHANNEL) || next.includes("rephrase-question");
  const arrived = input.messages;
  const before = valuesSchema.parse(checkpoint.channel_values);
  const { messages } = before;
  // LangGraph gives messages their ids when it adds them to the others, and removes those that an edit replaces.
  const asked = messagesStateReducer(messages, arrived);
  const number = isUnstarted ? turn.number + 1 : turn.number;
  const actions = next.includes("act") && decision?.kind === "action" ? decision.actions : [];
  // The turn had ended, and somebody ordered a call after it.
  const ended = actions.length > 0 ? before.stopReason : null;
  const stopReason =
    ended ?? (cancelled !== undefined ? "cancelled" : failure === undefined ? "interrupted" : "failed");
  const current = isUnstarted ? unstartedTurn(number, asked) : turn;
  const results = finishedResults(actions, calls);
  const observed = results.map(resultMessage);
  const isFinished = ({ id }: AgentAction) => results.some(({ action }) => action.id === id);
  const open = actions.filter((action) => !isFinished(action));
  const tools = open.map(({ tool }) => tool);
  const output = ended
    ? (before.answer ?? "")
    : cancelled || [reason(stopReason, failure), ...effects(tools, waits, keeps)].join(" ");
  // A turn that did not begin has not read its input, and a killed step has not stored its results.
  const arrivedOutside =
    isUnstarted && !isOlder(read) ? outsideInNew({ ...read, messages: asked }, current, new Map()) : [];
  const found = [...arrivedOutside, ...results.flatMap(({ outside = [] }) => outside)];
  const outside = joinOutside(read.outside ?? [], found);
  // What was shown stays the message that it was.
  const id = (cancelled && stopped?.id) || `${drawReplyId()}-${stopReason}`;
  const answer = new AIMessage({ id, ...(name && { name }), content: output, response_metadata: { outside } });
  return {
    asNode: "parse",
    values: {
      messages: [
        ...observed,
        ...lastObservations([...messages, ...observed], waits ? (keeps ? stillUndecided : undecided) : lost),
        ...arrived,
        ...(ended ? [] : [answer]),
      ],
      answer: output,
      stopReason,
      decision: { kind: "finish", output, stopReason },
      ...(isUnstarted && { turn: current, ...beforeUnstarted(before) }),
      ...(stopped && !isUnstarted && { turn, quietCalls }),
      ...(usage && { usage }),
      ...(keeps && { kept: [...kept, ...open] }),
      ...(found.length > 0 && { outside: found }),
    },
  };
}

/** Returns the rest of the state of a turn that did not begin. What is known of the turn before it goes to the chat history. */
function beforeUnstarted(values: z.infer<typeof valuesSchema>) {
  const { messages, turn, chatHistory, reply } = values;
  const before = turnsIn(messages, lastTurn(values)).filter(({ id }) => id === turn.message.id);
  const { shortened = chatHistory.shortened } = reply ?? {};
  return {
    chatHistory: { ...chatHistory, turns: [...chatHistory.turns, ...before], ...(shortened && { shortened }) },
    reply: null,
    intermediateSteps: new Overwrite([]),
    quietCalls: [],
    citations: [],
  };
}

/** Returns the results of the calls that had finished. */
function finishedResults(actions: readonly AgentAction[], calls: Calls): ActionResult[] {
  return actions.flatMap((action) => {
    const outcome = calls.get(callOf(action));
    return outcome === undefined || outcome === "begun" ? [] : [{ action, ...outcome }];
  });
}

function undecided(): string {
  return "The turn was stopped while a decision was missing. A call that waited for it did not run.";
}

function stillUndecided(): string {
  return "The decision about this call is still missing. The call did not run yet.";
}

function unstartedTurn(number: number, messages: readonly BaseMessage[]): Turn {
  const question = messages.at(-1);
  return {
    ...noTurn,
    number,
    id: randomUUID(),
    startedAt: new Date().toISOString(),
    mark: drawMark(),
    ...(question && { asked: question.text.trim(), message: seenMessage(question) }),
  };
}

/** Says why there is no answer. `failure` is the message of the error, if the turn failed. */
function reason(stopReason: StopReason, failure = ""): string {
  if (stopReason !== "failed") return `I did not answer this question: the turn was ${stopReason}.`;
  const cause = shorten(failure.trim(), 500);
  return `I did not answer this question, because of an error: ${cause}${/[.!?…]$/.test(cause) ? "" : "."}`;
}

function effects(tools: readonly string[], waits: boolean, keeps: boolean): string[] {
  const names = tools.join(", ");
  if (tools.length === 0) return [];
  if (!waits) return [`It was about to call ${names}, and it is not known whether that took effect.`];
  if (keeps) return [`It waits for a decision about ${names}, which is asked for again after the next answer.`];
  const rest = tools.length === 1 ? `and ${names} did not run.` : "and the waiting calls did not run.";
  return [`It was waiting for a decision about ${names}, ${rest}`];
}
