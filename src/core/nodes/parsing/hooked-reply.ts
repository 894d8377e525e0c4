import { isDeepStrictEqual } from "node:util";
import { type AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { ToolSpec } from "../../../tool-inputs/tool-spec.js";
import { textOf } from "../../state/chat-history.js";
import {
  type AgentAction,
  callIdOf,
  changedReply,
  type Decision,
  type Reply,
  writeCall,
} from "../../state/decision.js";
import { answerMessage, callMessage, isCallOf, type WrittenBy } from "../action-messages.js";

/** A reply, and what was read in it. */
export interface ReadReply {
  readonly reply: Reply;
  readonly decision: Decision;
}

/** Returns the message of a reply as hooks see it. One that cannot be read has its words. */
export function readMessage({ reply, decision }: ReadReply, named: WrittenBy, tools: readonly ToolSpec[]): AIMessage {
  if (decision.kind === "action") return callMessage(decision, reply, named, tools);
  return answerMessage(decision.kind === "finish" ? decision.output : reply.text, reply, named);
}

/**
 * Returns what a message says that hooks may have changed. Its words and calls count as they are: no protocol reads them. An action
 * keeps its id if its call keeps its own.
 *
 * @param readAgain Reads a reply that could not be read before. A changed word makes no answer of it.
 */
export function readAnew(
  read: ReadReply,
  before: AIMessage,
  now: AIMessage | undefined,
  tools: readonly ToolSpec[],
  readAgain: (reply: Reply) => Decision,
): ReadReply {
  const calls = now?.tool_calls ?? [];
  if (now === undefined || isDeepStrictEqual([textOf(now), calls], [textOf(before), before.tool_calls ?? []]))
    return read;
  const words = textOf(now);
  const { decision } = read;
  if (decision.kind === "unparseable" && calls.length === 0 && now.id === before.id) {
    const reply = changedReply({ ...read.reply, text: words });
    return { reply, decision: readAgain(reply) };
  }
  const reply = changedReply({ ...read.reply, text: words, toolCalls: calls, invalidToolCalls: [] });
  if (calls.length === 0) {
    const stopReason = decision.kind === "finish" ? decision.stopReason : "answered";
    return { reply, decision: { kind: "finish", output: words, stopReason } };
  }
  const known = decision.kind === "action" ? decision.actions : [];
  const actions = calls.map((call, n): AgentAction => {
    const own = known.find((action) => callIdOf(action) === call.id);
    if (own?.tool === call.name && isCallOf(own, call, tools)) return own;
    const id = own?.id ?? `${before.id}-${known.length + n + 1}`;
    return {
      ...own,
      id,
      ...(call.id && { callId: call.id }),
      tool: call.name,
      toolInput: call.args,
      log: writeCall(call),
    };
  });
  return { reply, decision: { kind: "action", actions, thought: words } };
}

/** Returns the results that stand after the calls of a reply already, by the ids of the calls: hooks gave them. */
export function givenResults(messages: readonly BaseMessage[], reply: string): ReadonlyMap<string, ToolMessage> {
  const said = messages.findLastIndex(({ id }) => id === reply);
  const results = said < 0 ? [] : messages.slice(said + 1).filter(ToolMessage.isInstance);
  return new Map(results.map((result) => [result.tool_call_id, result]));
}
