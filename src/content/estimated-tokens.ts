import type { BaseMessage } from "@langchain/core/messages";
import { perObject } from "../base/per-object.js";
import { callBlocks } from "./content.js";
import type { ContentBlock } from "./content-block.js";

/**
 * Estimates the tokens of a text: one for four bytes of UTF-8. This is about right for English. It also suits Chinese,
 * Japanese and Korean, whose characters have three bytes.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/** The tokens of a picture or a file, and of the frame around the text of a message, roughly as providers count. */
const fileTokens = 1_000;
const frameTokens = 4;

/** Estimates the tokens of a prompt. `tools` are the definitions of its tools as JSON. */
export function estimatePrompt(messages: readonly BaseMessage[], tools = ""): number {
  return messages.reduce((total, message) => total + estimateMessage(message), estimateTokens(tools));
}

// Each prompt of a thread shows most of the messages of the prompt before.
const estimateMessage = perObject((message: BaseMessage): number => {
  const { content } = message;
  const calls = "tool_calls" in message ? JSON.stringify(message.tool_calls) : "";
  const said =
    typeof content === "string"
      ? estimateTokens(content)
      : content.reduce((sum, block) => sum + estimateBlock(block), 0);
  return frameTokens + estimateTokens(calls) + said;
});

/** The calls of a message are counted beside its blocks. */
function estimateBlock(block: ContentBlock): number {
  if (typeof block.text === "string") return estimateTokens(block.text);
  if (callBlocks.has(block.type)) return 0;
  return /^(?:thinking|redacted_thinking|reasoning)$/.test(block.type)
    ? estimateTokens(JSON.stringify(block))
    : fileTokens;
}
