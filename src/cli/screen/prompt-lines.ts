import type { EventDetails } from "../../core/run/events.js";
import type { Colours } from "./colours.js";
import { screenText } from "./screen-text.js";

type Prompt = Pick<EventDetails<"prompt">, "purpose" | "model" | "messages" | "stop" | "tools">;
type Reply = Pick<EventDetails<"reply">, "text" | "toolCalls">;

/** Writes a whole prompt, with what went to the model beside it. */
export function promptLines({ purpose, model, messages, stop, tools }: Prompt, { bold, dim }: Colours): string {
  const notes = [
    purpose === "reply" ? "" : purpose,
    stop.length > 0 ? `stop ${stop.map((text) => JSON.stringify(text)).join(" ")}` : "",
    tools.length > 0 ? `tools ${tools.join(", ")}` : "",
  ].filter((note) => note !== "");
  const title = [`Prompt to ${model}`, ...notes].join("; ");
  const texts = messages.map((message) => `${messages.length > 1 ? `[${message.type}] ` : ""}${messageText(message)}`);
  return `${bold(`${screenText(title)}:`)}\n${dim(screenText(texts.join("\n")))}\n`;
}

/** Writes a whole reply. */
export function replyLines({ text, toolCalls }: Reply, { bold, green }: Colours): string {
  const calls = toolCalls.map(({ name, args }) => `${name}(${JSON.stringify(args)})`);
  return `${bold("Reply:")}\n${green(screenText([text, ...calls].filter((part) => part !== "").join("\n")))}\n`;
}

function messageText({ content, toolCalls }: Prompt["messages"][number]): string {
  const calls = Array.isArray(toolCalls) && toolCalls.length > 0 ? `\n${JSON.stringify(toolCalls)}` : "";
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return `${text}${calls}`;
}
