import { isDeepStrictEqual } from "node:util";
import type { BaseMessage, ToolMessage } from "@langchain/core/messages";
import { paragraphs } from "../../../base/paragraphs.js";
import { messageText } from "../../../content/content.js";
import type { ToolSpec } from "../../../tool-inputs/tool-spec.js";
import type { PromptView } from "../../parts/protocol.js";
import type { Copies } from "../../seams/draft.js";
import { seenMessage, textOf, writeSaid } from "../../state/chat-history.js";
import {
  type ActionResult,
  type AgentAction,
  type IntermediateStep,
  isFollowed,
  writeCall,
} from "../../state/decision.js";
import { replyIdOf } from "../../state/reply-id.js";
import type { AgentStateValues } from "../../state/state.js";
import { isCallOf, resultContent } from "../action-messages.js";
import { historyIn, placeOf, questionIn } from "../remember.js";
import { type FoundResult, Results } from "./conversation.js";

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
  const byReply = new Map(steps.flatMap((step, n) => (isFollowed(step) ? [[idOf(turn, step, n), n] as const] : [])));
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

/**
 * Returns what a state has of its messages a second time, as they say it now: so what a hook took out of them is nowhere in the
 * state. A summary in the place of the question is no question. Of a step without its message there stays which tools it called.
 */
export function copiesAnew(
  { messages, turn, intermediateSteps: steps }: Omit<Turns, "question" | "chatHistory">,
  tools: readonly ToolSpec[],
): Copies {
  const message = questionIn({ messages, turn });
  const asked = (message && messageText(message).trim()) || turn.asked;
  const results = new Results(messages);
  const said = new Map(messages.map((message, n) => [message.id, { message, found: results.of(message, n) }]));
  const anew = steps.map((step, n) => {
    const { message, found = [] } = said.get(idOf(turn, step, n)) ?? {};
    if (message !== undefined && found.length > 0) return stepOf(message, found, step, tools);
    const isTakenOut = step.decision.kind === "action" || (message === undefined && isFollowed(step));
    return isTakenOut ? bareStep(step) : step;
  });
  return {
    ...(message &&
      asked !== turn.asked && { turn: { ...turn, asked, message: seenMessage(message) }, question: asked }),
    ...(!isDeepStrictEqual(anew, steps) && { intermediateSteps: anew }),
  };
}

/** Returns the id of the message of a step. `n` is the place of the step in its turn. */
function idOf(turn: Turns["turn"], { reply }: IntermediateStep, n: number): string {
  return replyIdOf({ reply, turn, intermediateSteps: { length: n } });
}

function bareStep({ reply, decision, results }: IntermediateStep): IntermediateStep {
  const { message, byProvider, ...others } = reply;
  const bare = (action: AgentAction) => ({ ...action, toolInput: "", log: "" });
  return {
    reply: { ...others, text: "", toolCalls: [], invalidToolCalls: [] },
    decision: decision.kind === "action" ? { kind: "action", actions: decision.actions.map(bare) } : decision,
    results: results.map(({ action, status }) => ({ action: bare(action), observation: "", status })),
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
  const results = new Results(messages);
  const shown = messages.flatMap((message, n): IntermediateStep[] => {
    if (results.areShown(message)) return [];
    const known = byReply.get(message.id ?? "");
    const step = known === undefined ? undefined : steps[known];
    const found = results.of(message, n);
    if (step === undefined && found.length === 0) return saidStep(message);
    const slips = known === undefined ? [] : steps.slice(lastFollowed(steps.slice(0, known)) + 1, known);
    return [...slips, stepOf(message, found, step, tools)];
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

/** Returns the step of a message: that of the state, if it says the same, or one that is made of the message. */
function stepOf(
  message: BaseMessage,
  found: readonly FoundResult[],
  step: IntermediateStep | undefined,
  tools: readonly ToolSpec[],
): IntermediateStep {
  const words = textOf(message);
  if (step !== undefined && isSame(step, words, found, tools)) {
    const results = step.results.map((result, n) => resultIn(found[n]?.message, result));
    return results.every((result, n) => result === step.results[n]) ? step : { ...step, results };
  }
  const known = step?.decision.kind === "action" ? step.decision.actions : [];
  const calls = found.map(({ call }) => call);
  const log = [words, ...calls.map(writeCall)].filter((line) => line !== "").join("\n");
  const results = found.map(({ call: { id = "", name, args }, message }, n) => {
    return resultOf({ id: known[n]?.id ?? id, callId: id, tool: name, toolInput: args, log }, message);
  });
  return {
    reply: { id: String(message.id), text: words, toolCalls: calls, invalidToolCalls: [] },
    decision: { kind: "action", actions: results.map(({ action }) => action), thought: words },
    results,
  };
}

/** Tells whether a step says what its message says. */
function isSame(
  { reply, decision }: IntermediateStep,
  words: string,
  found: readonly FoundResult[],
  tools: readonly ToolSpec[],
): boolean {
  const thought = decision.kind === "action" ? decision.thought : undefined;
  const actions = decision.kind === "action" ? decision.actions : [];
  if (![thought ?? "", reply.text].some((text) => text.trim() === words.trim())) return false;
  return actions.length === found.length && actions.every((action, n) => isCallOf(action, found[n]?.call, tools));
}

/** Returns a result as its message says it. */
function resultIn(message: ToolMessage | undefined, result: ActionResult): ActionResult {
  const isSame = message === undefined || isDeepStrictEqual(message.content, resultContent(result));
  return isSame ? result : resultOf(result.action, message);
}

function resultOf(action: AgentAction, message: ToolMessage): ActionResult {
  return { action, observation: messageText(message), status: message.status === "error" ? "error" : "success" };
}
