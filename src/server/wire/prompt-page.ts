import type { CallPrompt } from "../../agent/index.js";
import { bounded, partOf } from "./bounded.js";

/** The most of a text of a message. What else the message says has room beside it. */
const MOST_CHARACTERS = 240_000;

/** Returns a prompt with as many of its messages as a response has, from one of them on: at least one. */
export function promptPage({ messages, stop, tools, outputSchema, ...prompt }: CallPrompt, from: number): object {
  const { shown, ...page } = partOf(messages, from, MOST_CHARACTERS);
  return { ...bounded({ ...prompt, stop, tools, outputSchema }).json, messages: shown, ...page };
}
