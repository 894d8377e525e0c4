import type { CallPrompt } from "../../agent/index.js";
import { bounded, thoseThatFit } from "./bounded.js";

/** The most of a text of a message. What else the message says has room beside it. */
const MOST_CHARACTERS = 240_000;

/** Returns a prompt with as many of its messages as a response has, from one of them on: at least one. */
export function promptPage({ messages, stop, tools, outputSchema, ...prompt }: CallPrompt, from: number): object {
  const rest = messages.slice(from).map((message) => bounded(message, MOST_CHARACTERS));
  const shown = thoseThatFit(rest, ({ bytes }) => bytes);
  const end = from + shown.length;
  return {
    ...bounded({ ...prompt, stop, tools, outputSchema }).json,
    count: messages.length,
    messages: shown.map(({ json }) => json),
    next: end < messages.length ? end : null,
  };
}
