import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { type IntermediateStep, isFollowed, type Reply } from "../core/state/decision.js";
import { paused } from "../provider-forms/finish-reason.js";
import { noWords } from "../provider-forms/form-for.js";

/** The messages of replies that were not followed. They are no part of the conversation. */
export interface Corrections {
  /** Corrections before the message of a reply, by the id of the reply. */
  readonly byReply: ReadonlyMap<string | undefined, BaseMessage[]>;
  /** Corrections after all messages. */
  readonly newest: readonly BaseMessage[];
}

/** Finds the places of the replies of a turn that were not followed. */
export function correctionsOf(steps: readonly IntermediateStep[]): Corrections {
  const byReply = new Map<string | undefined, BaseMessage[]>();
  let newest: BaseMessage[] = [];
  for (const step of steps) {
    if (isFollowed(step)) {
      byReply.set(step.reply.id, newest);
      newest = [];
    }
    newest.push(...correctionMessages(step));
  }
  return { byReply, newest };
}

/** Returns the messages of a reply that was not followed: its words, and the correction with its calls. */
export function correctionMessages({ reply, decision }: IntermediateStep): BaseMessage[] {
  if (decision.kind !== "unparseable") return [];
  // The words of a paused reply stand in the messages.
  if (reply.finishReason === paused) return decision.correction === "" ? [] : [new HumanMessage(decision.correction)];
  const calls = writtenCalls(reply);
  const text = calls === "" ? decision.correction : `You called:\n${calls}\n\n${decision.correction}`;
  return [new AIMessage(reply.text.trim() || noWords), new HumanMessage(text)];
}

/** The most calls of a reply that a correction shows. */
const mostWritten = 40;

/** Writes the calls of a reply that were not made. */
function writtenCalls({ toolCalls, invalidToolCalls }: Reply): string {
  const whole = toolCalls.map(({ name, args }) => ({ name, args: JSON.stringify(args) }));
  const calls = [...whole, ...invalidToolCalls].filter(({ name, args }) => name || args);
  const written = calls.slice(0, mostWritten).map(({ name = "tool", args = "" }) => `${name}(${args})`);
  if (calls.length > mostWritten) written.push(`and ${calls.length - mostWritten} more`);
  return written.join("\n");
}
