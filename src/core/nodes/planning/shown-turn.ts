import { isDeepStrictEqual } from "node:util";
import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { paragraphs } from "../../../base/paragraphs.js";
import type { PromptView, ToolSpec } from "../../parts/protocol.js";
import { textOf, writeSaid } from "../../state/chat-history.js";
import { messageText } from "../../state/content.js";
import { type ActionResult, type IntermediateStep, writeCall } from "../../state/decision.js";
import { isFollowed } from "../../state/finish-reason.js";
import type { AgentStateValues } from "../../state/state.js";
import { isCallOf, resultContent } from "../action-messages.js";
import { historyIn, placeOf, questionIn } from "../remember.js";
import { noResult } from "./conversation.js";

type Turns = Pick<AgentStateValues, "messages" | "turn" | "question" | "chatHistory" | "intermediateSteps">;
type Shown = Pick<PromptView, "question" | "standalone" | "chatHistory" | "intermediateSteps">;

/**
 * Returns the turns of a thread as a text prompt shows them. They are made of `messages`, as native prompts are: what was
 * changed there is shown as it is now. A step of the state keeps how the model wrote its calls. It is shown as long as its
 * messages say the same. A reply that was not followed stands in no message, and keeps its place between the others.
 *
 * @param tools The tools of the prompt, which name the arguments of calls that were written as a text.
 */
export function shownTurn(state: Turns, tools: readonly ToolSpec[]): Shown {
  const { messages, turn, question, chatHistory, intermediateSteps: steps } = state;
  const place = placeOf(turn.message.id, messages);
  const byReply = new Map(steps.flatMap((step, n) => (isFollowed(step) ? [[step.reply.id ?? "", n] as const] : [])));
  const found = messages.findIndex(({ id = "" }, n) => n > place && byReply.has(id));
  const first = found < 0 ? messages.length : found;
  const message = questionIn({ messages, turn });
  const asked = (message && messageText(message).trim()) || turn.asked;
  const since = message ? said(messages.slice(place + 1, first)) : "";
  const before = messages.slice(0, message ? place : first);
  return {
    question: paragraphs(asked, since && `Since then:\n${since}`),
    ...(question !== turn.asked && asked === turn.asked && { standalone: question }),
    chatHistory: historyIn(before, chatHistory),
    intermediateSteps: shownSteps(messages.slice(first), steps, byReply, tools),
  };
}

/** What a state has of its messages a second time. */
export type Copies = Partial<Pick<AgentStateValues, "turn" | "question" | "intermediateSteps">>;

/**
 * Returns what a state has of its messages a second time, as they say it now: so what a hook took out of them is nowhere in the
 * state. A summary in the place of the question is no question.
 */
export function copiesAnew(
  { messages, turn, intermediateSteps: steps }: Omit<Turns, "question" | "chatHistory">,
  tools: readonly ToolSpec[],
): Copies {
  const message = questionIn({ messages, turn });
  const asked = (message && messageText(message).trim()) || turn.asked;
  const anew = steps.map((step) => {
    const place = messages.findIndex(({ id }) => id === step.reply.id);
    const said = messages[place];
    const calls = AIMessage.isInstance(said) ? (said.tool_calls ?? []) : [];
    return said === undefined || calls.length === 0
      ? step
      : stepOf(said, calls, resultsOf(calls, messages.slice(place)), step, tools);
  });
  return {
    ...(asked !== turn.asked && { turn: { ...turn, asked }, question: asked }),
    ...(anew.some((step, n) => step !== steps[n]) && { intermediateSteps: anew }),
  };
}

/** Writes what others said, people among them. */
function said(messages: readonly BaseMessage[]): string {
  const lines = messages.map((message) =>
    message.getType() === "human" ? messageText(message).trim() : writeSaid([message]),
  );
  return lines.filter((line) => line !== "").join("\n");
}

function shownSteps(
  messages: readonly BaseMessage[],
  steps: readonly IntermediateStep[],
  byReply: ReadonlyMap<string, number>,
  tools: readonly ToolSpec[],
): IntermediateStep[] {
  const results = new Set<BaseMessage>();
  const shown = messages.flatMap((message, n): IntermediateStep[] => {
    if (results.has(message)) return [];
    const known = byReply.get(message.id ?? "");
    const step = known === undefined ? undefined : steps[known];
    const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
    if (step === undefined && calls.length === 0) return saidStep(message);
    const found = resultsOf(calls, messages.slice(n));
    for (const result of found) if (result) results.add(result);
    const slips = known === undefined ? [] : steps.slice(lastFollowed(steps.slice(0, known)) + 1, known);
    return [...slips, stepOf(message, calls, found, step, tools)];
  });
  return [...shown, ...steps.slice(lastFollowed(steps) + 1)];
}

function lastFollowed(steps: readonly IntermediateStep[]): number {
  return steps.findLastIndex(isFollowed);
}

/** Shows what another said in the middle of the steps, at the place of an observation. */
function saidStep(message: BaseMessage): IntermediateStep[] {
  const correction = said([message]);
  const reply = { text: "", toolCalls: [], invalidToolCalls: [] };
  return correction === "" ? [] : [{ reply, decision: { kind: "unparseable", why: "", correction }, results: [] }];
}

type Calls = NonNullable<AIMessage["tool_calls"]>;

function resultsOf(calls: Calls, messages: readonly BaseMessage[]): (BaseMessage | undefined)[] {
  return calls.map(({ id }) => messages.find((result) => ToolMessage.isInstance(result) && result.tool_call_id === id));
}

/** Returns the step of a message: that of the state, if it says the same, or one that is made of the message. */
function stepOf(
  message: BaseMessage,
  calls: Calls,
  found: readonly (BaseMessage | undefined)[],
  step: IntermediateStep | undefined,
  tools: readonly ToolSpec[],
): IntermediateStep {
  const words = textOf(message);
  if (step !== undefined && isSame(step, words, calls, tools)) {
    const results = step.results.map((result, n) => resultIn(found[n], result));
    return results.every((result, n) => result === step.results[n]) ? step : { ...step, results };
  }
  const known = step?.decision.kind === "action" ? step.decision.actions : [];
  const log = [words, ...calls.map(writeCall)].filter((line) => line !== "").join("\n");
  const actions = calls.map(({ id = "", name, args }, n) => {
    return { id: known[n]?.id ?? id, callId: id, tool: name, toolInput: args, log };
  });
  return {
    reply: { id: String(message.id), text: words, toolCalls: calls, invalidToolCalls: [] },
    decision: { kind: "action", actions, thought: words },
    results: actions.map((action, n) => resultIn(found[n], { action, observation: noResult, status: "error" })),
  };
}

/** Tells whether a step says what its message says. */
function isSame({ reply, decision }: IntermediateStep, words: string, calls: Calls, tools: readonly ToolSpec[]) {
  const thought = decision.kind === "action" ? decision.thought : undefined;
  const actions = decision.kind === "action" ? decision.actions : [];
  if (![thought ?? "", reply.text].some((text) => text.trim() === words.trim())) return false;
  return actions.length === calls.length && actions.every((action, n) => isCallOf(action, calls[n], tools));
}

/** Returns a result as its message says it. */
function resultIn(message: BaseMessage | undefined, result: ActionResult): ActionResult {
  if (message === undefined) return { action: result.action, observation: noResult, status: "error" };
  if (isDeepStrictEqual(message.content, resultContent(result))) return result;
  const isError = ToolMessage.isInstance(message) && message.status === "error";
  return { action: result.action, observation: messageText(message), status: isError ? "error" : "success" };
}
