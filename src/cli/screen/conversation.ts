import { AIMessage, type BaseMessage, isBaseMessage, ToolMessage } from "@langchain/core/messages";
import { messageText } from "../../content/content.js";
import type { EventDetails } from "../../core/run/events.js";
import { reasoningIn } from "../../middleware/reasoning/read-reasoning.js";
import { providerSteps } from "../../provider-forms/provider-steps.js";
import type { Threads } from "../../threads/open.js";

/** An event of a turn, as far as the messages of its thread tell it. */
export type ConversationEvent =
  | Pick<EventDetails<"question">, "type" | "asked">
  | EventDetails<"reasoning" | "thought" | "action" | "observation">
  | Pick<EventDetails<"answer">, "type" | "text">;

/** Reads the turns of a thread from its messages. */
export function conversation(messages: readonly BaseMessage[]): ConversationEvent[] {
  return messages.flatMap(eventsOf);
}

function eventsOf(message: BaseMessage): ConversationEvent[] {
  if (ToolMessage.isInstance(message)) return [observation(message)];
  if (AIMessage.isInstance(message))
    return [...reasoning(message), ...providerSteps(message, message.id ?? ""), ...stepOrAnswer(message)];
  return [{ type: "question", asked: messageText(message) }];
}

function observation(message: ToolMessage): ConversationEvent {
  const status = message.status === "error" ? "error" : "success";
  return { type: "observation", id: message.tool_call_id, text: messageText(message), status };
}

function reasoning(message: AIMessage): ConversationEvent[] {
  const text = reasoningIn(message);
  return text === "" ? [] : [{ type: "reasoning", text }];
}

function stepOrAnswer({ text, tool_calls = [] }: AIMessage): ConversationEvent[] {
  if (tool_calls.length === 0) return [{ type: "answer", text }];
  const actions = tool_calls.map(({ id = "", name, args }): ConversationEvent => {
    return { type: "action", id, tool: name, toolInput: plainInput(args) };
  });
  return text === "" ? actions : [{ type: "thought", text }, ...actions];
}

/** Returns the input of a tool. A text that a prompted model wrote is kept as the only argument, `input`. */
function plainInput(args: Record<string, unknown>): string | Record<string, unknown> {
  return typeof args.input === "string" && Object.keys(args).length === 1 ? args.input : args;
}

/** Reads the conversation of a thread from its newest checkpoint, without an agent. */
export async function conversationOf({ checkpointer }: Threads, thread: string): Promise<ConversationEvent[]> {
  const tuple = await checkpointer.getTuple({ configurable: { thread_id: thread } });
  const messages: unknown = tuple?.checkpoint.channel_values.messages;
  return conversation(Array.isArray(messages) ? messages.filter(isBaseMessage) : []);
}
