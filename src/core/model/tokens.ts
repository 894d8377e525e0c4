import type { AIMessage, AIMessageChunk, BaseMessage } from "@langchain/core/messages";
import { z } from "zod";
import { perObject } from "../../base/per-object.js";
import { callBlocks } from "../../content/content.js";
import type { ContentBlock } from "../../content/content-block.js";
import type { Tokens } from "../state/usage.js";

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

const count = z.number().min(0);
const detail = count.optional().catch(undefined);

const reportSchema = z.object({
  input_tokens: count,
  output_tokens: count,
  input_token_details: z
    .object({ cache_read: detail, cache_creation: detail, audio: detail })
    .optional()
    .catch(undefined),
  output_token_details: z.object({ reasoning: detail, audio: detail }).optional().catch(undefined),
});

/** A report in OpenAI's words. */
const completionsSchema = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  prompt_tokens_details: z.object({ cached_tokens: detail }).optional().catch(undefined),
  completion_tokens_details: z.object({ reasoning_tokens: detail }).optional().catch(undefined),
});

/**
 * Returns what the provider of a reply reported of its tokens. Groq's package leaves the report of a stream in the metadata,
 * and the cached tokens always.
 */
export function usageIn({ usage_metadata: read, response_metadata }: AIMessage | AIMessageChunk): unknown {
  const { data } = completionsSchema.safeParse(response_metadata.usage);
  if (read?.input_token_details || data === undefined) return read ?? response_metadata.usage;
  return {
    input_tokens: data.prompt_tokens,
    output_tokens: data.completion_tokens,
    input_token_details: { cache_read: data.prompt_tokens_details?.cached_tokens },
    output_token_details: { reasoning: data.completion_tokens_details?.reasoning_tokens },
  };
}

/** What a model was asked, and what it wrote. */
export interface Asked {
  readonly model: object;
  readonly messages: readonly BaseMessage[];
  /** The definitions of the tools as JSON, if the model got them natively. */
  readonly tools?: string | undefined;
  /** The text of the reply, as far as it came. */
  readonly written: string;
  /** True if the reply came to its end. */
  readonly isWhole: boolean;
}

/**
 * Returns the tokens of a call, as the provider reported them. Without a report they are estimated, for example for a reply
 * that is aborted before its report.
 *
 * @param usage What {@link usageIn} returns.
 */
export function tokensOf(usage: unknown, { model, messages, tools, written, isWhole }: Asked): Tokens {
  const report = reportSchema.safeParse(usage).data;
  const { input_tokens: input = 0, output_tokens: output = 0 } = report ?? {};
  const estimated = estimatePrompt(messages, tools);
  learnTokens(model, estimated, input);
  const estimatedInput = input === 0 ? asTokensOf(model, estimated) : 0;
  // Some providers report the prompt at the beginning, and the reply at the end.
  const isReported = isWhole && output > 0;
  const estimatedOutput = isReported ? 0 : Math.max(0, asTokensOf(model, estimateTokens(written)) - output);
  const estimatedTokens = estimatedInput + estimatedOutput;
  return {
    inputTokens: input + estimatedInput,
    outputTokens: output + estimatedOutput,
    ...partsOf(report),
    ...(estimatedTokens > 0 && { estimatedTokens }),
  };
}

function partsOf(report: z.infer<typeof reportSchema> | undefined): Partial<Tokens> {
  const { input_token_details: input, output_token_details: output } = report ?? {};
  return {
    cacheReadTokens: input?.cache_read,
    cacheWriteTokens: input?.cache_creation,
    audioInputTokens: input?.audio,
    reasoningTokens: output?.reasoning,
    audioOutputTokens: output?.audio,
  };
}
