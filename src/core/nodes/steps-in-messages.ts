import { isDeepStrictEqual } from "node:util";
import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { messageText } from "../../content/content.js";
import type { ToolSpec } from "../../tool-inputs/tool-spec.js";
import type { Copies } from "../seams/draft.js";
import { seenMessage, textOf } from "../state/chat-history.js";
import {
  type ActionResult,
  type AgentAction,
  type IntermediateStep,
  isFollowed,
  writeCall,
} from "../state/decision.js";
import { replyIdOf } from "../state/reply-id.js";
import type { AgentStateValues } from "../state/state.js";
import { isCallOf, resultContent } from "./action-messages.js";
import { questionIn } from "./remember.js";

type Turn = Pick<AgentStateValues, "messages" | "turn" | "intermediateSteps">;

/**
 * Returns what a state has of its messages a second time, as they say it now: so what a hook took out of them is nowhere in the
 * state. A summary in the place of the question is no question. Of a step without its message there stays which tools it called.
 */
export function copiesAnew({ messages, turn, intermediateSteps: steps }: Turn, tools: readonly ToolSpec[]): Copies {
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
export function idOf(turn: Turn["turn"], { reply }: IntermediateStep, n: number): string {
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

/** Returns the step of a message: that of the state, if it says the same, or one that is made of the message. */
export function stepOf(
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

/** The result of a call, and its place in the conversation. */
export interface FoundResult {
  readonly call: NonNullable<AIMessage["tool_calls"]>[number];
  readonly message: ToolMessage;
  readonly place: number;
}

/** The results of the calls in a conversation. A call takes the first result after it that has its id. */
export class Results {
  readonly #byCall = new Map<string, Omit<FoundResult, "call">[]>();
  readonly #shown = new Set<BaseMessage>();

  constructor(messages: readonly BaseMessage[]) {
    for (const [place, message] of messages.entries()) {
      if (!ToolMessage.isInstance(message)) continue;
      const { tool_call_id: id } = message;
      this.#byCall.set(id, [...(this.#byCall.get(id) ?? []), { message, place }]);
    }
  }

  /** Returns the results of the calls of a message, in the order of the calls. A call without a result gets one that says so. */
  of(message: BaseMessage, place: number): FoundResult[] {
    const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
    return calls.map((call) => {
      const { id = "", name } = call;
      const found = this.#byCall.get(id)?.find((result) => result.place > place && !this.#shown.has(result.message));
      const missing = { tool_call_id: id, name, content: noResult, status: "error" } as const;
      if (found === undefined) return { call, message: new ToolMessage(missing), place: Infinity };
      this.#shown.add(found.message);
      return { call, ...found };
    });
  }

  areShown(message: BaseMessage): boolean {
    return this.#shown.has(message);
  }
}

/** Stands for a result that is not there. */
const noResult = "This call has no result. It may or may not have taken effect.";
