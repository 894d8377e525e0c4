import type { BaseMessage } from "@langchain/core/messages";
import { estimatePrompt, estimateTokens } from "../../content/estimated-tokens.js";
import type { UsageReport } from "../../provider-forms/usage-report.js";
import type { Tokens } from "../state/usage.js";

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
 */
export function tokensOf(report: UsageReport | undefined, { model, messages, tools, written, isWhole }: Asked): Tokens {
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

function partsOf(report: UsageReport | undefined): Partial<Tokens> {
  const { input_token_details: input, output_token_details: output } = report ?? {};
  return {
    cacheReadTokens: input?.cache_read,
    cacheWriteTokens: input?.cache_creation,
    audioInputTokens: input?.audio,
    reasoningTokens: output?.reasoning,
    audioOutputTokens: output?.audio,
  };
}
