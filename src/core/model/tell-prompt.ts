import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { EventDetails } from "../run/events.js";
import { tellerIn } from "../run/teller.js";

/** A prompt as it is sent. `tools` are those that the model gets natively. */
interface SentPrompt extends Omit<EventDetails<"prompt">, "type" | "messages" | "tools"> {
  readonly messages: readonly BaseMessage[];
  readonly tools: readonly { readonly name: string }[];
}

/** Tells the prompt of a model call, if the reader of the run wants prompts. */
export function tellPrompt(config: RunnableConfig, { messages, tools, ...sent }: SentPrompt): void {
  const teller = tellerIn(config);
  if (!teller?.wantsPrompts) return;
  teller.tell({ type: "prompt", ...sent, ...promptData({ messages, tools }) });
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

/** Tells the reply to a prompt, if the reader of the run wants prompts. */
export function tellReply(config: RunnableConfig, reply: Omit<EventDetails<"reply">, "type">): void {
  const teller = tellerIn(config);
  if (teller?.wantsPrompts) teller.tell({ type: "reply", ...reply });
}
