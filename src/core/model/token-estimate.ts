import type { BaseMessage } from "@langchain/core/messages";

/**
 * Estimates the tokens of a text: one for four bytes of UTF-8. This is about right for English. It also suits Chinese,
 * Japanese and Korean, whose characters have three bytes.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/** The tokens of an image, and those around the text of a message. Providers count them so, more or less. */
const imageTokens = 1_000;
const frameTokens = 4;

/** Estimates the tokens of a prompt. `tools` are the definitions of its tools as JSON. */
export function estimatePrompt(messages: readonly BaseMessage[], tools = ""): number {
  return messages.reduce((total, message) => total + estimateMessage(message), estimateTokens(tools));
}

function estimateMessage(message: BaseMessage): number {
  const { content } = message;
  const calls = "tool_calls" in message ? JSON.stringify(message.tool_calls) : "";
  const tokens = frameTokens + estimateTokens(calls);
  // LangChain builds the text anew at each reading.
  if (typeof content === "string") return tokens + estimateTokens(content);
  const others = content.filter(({ type }) => type !== "text");
  return tokens + estimateTokens(message.text) + others.length * imageTokens;
}

/** The tokens that servers reported for one estimated token, by model. */
const factors = new WeakMap<object, number>();

/** The most tokens for an estimated one: servers count at most one for a byte of text. */
const mostPerToken = 4;

/** Returns the largest number of tokens that a server can count in a prompt. */
export function mostTokens(estimated: number): number {
  return estimated * mostPerToken;
}

/** Takes note of the tokens that a server reported for a prompt. The next estimates for the model are then better. */
export function learnTokens(model: object, estimated: number, reported: number): void {
  if (estimated > 0 && reported > 0) factors.set(model, Math.min(mostPerToken, Math.max(0.25, reported / estimated)));
}

/** Returns an estimate as tokens of a model. */
export function asTokensOf(model: object, estimated: number): number {
  return Math.ceil(estimated * (factors.get(model) ?? 1));
}
