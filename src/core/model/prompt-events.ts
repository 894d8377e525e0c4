import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { EventDetails } from "../run/events.js";
import { runOf } from "../run/run.js";

/** A prompt as it is sent. `tools` are those that the model gets natively. */
interface SentPrompt extends Omit<EventDetails<"prompt">, "type" | "messages" | "tools"> {
  readonly messages: readonly BaseMessage[];
  readonly tools: readonly { readonly name: string }[];
}

/** Emits the prompt of a model call, if the reader of the run wants prompts. */
export function emitPrompt(config: RunnableConfig, { messages, tools, ...sent }: SentPrompt): void {
  const run = runOf(config);
  if (run.wantsPrompts) run.emit({ type: "prompt", ...sent, ...promptData({ messages, tools }) });
}

/** Returns the messages of a prompt and the names of its tools as data. */
export function promptData({
  messages,
  tools,
}: Pick<SentPrompt, "messages" | "tools">): Pick<EventDetails<"prompt">, "messages" | "tools"> {
  const shown = messages.map((message) => ({
    type: message.getType(),
    content: message.content,
    ...("tool_calls" in message && { toolCalls: message.tool_calls }),
  }));
  return { messages: shown, tools: tools.map(({ name }) => name) };
}

/** Emits the reply to a prompt, if the reader of the run wants prompts. */
export function emitReply(config: RunnableConfig, reply: Omit<EventDetails<"reply">, "type">): void {
  const run = runOf(config);
  if (run.wantsPrompts) run.emit({ type: "reply", ...reply });
}
