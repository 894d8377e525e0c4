import type { BaseMessage } from "@langchain/core/messages";
import { z } from "zod";
import type { Tokens } from "../../turn/usage.js";
import { asTokensOf, estimatePrompt, estimateTokens, learnTokens } from "./token-estimate.js";

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
 * Returns the tokens of a call, as the provider reported them. They are estimated if it did not: a reply that is cut off
 * ends before its report.
 *
 * @param usage The `usage_metadata` of the reply's message.
 */
export function tokensOf(usage: unknown, { model, messages, tools, written, isWhole }: Asked): Tokens {
  const report = reportSchema.safeParse(usage).data;
  const estimated = estimatePrompt(messages, tools);
  const output = asTokensOf(model, estimateTokens(written));
  if (report === undefined || report.input_tokens === 0) {
    const input = asTokensOf(model, estimated);
    return { inputTokens: input, outputTokens: output, estimatedTokens: input + output };
  }
  learnTokens(model, estimated, report.input_tokens);
  const tokens = reported(report);
  // Some providers report the prompt at the beginning, and the reply at the end.
  const unreported = isWhole ? 0 : Math.max(0, output - report.output_tokens);
  if (unreported === 0) return tokens;
  return { ...tokens, outputTokens: report.output_tokens + unreported, estimatedTokens: unreported };
}

function reported(report: z.infer<typeof reportSchema>): Tokens {
  const { input_token_details: input, output_token_details: output } = report;
  return {
    inputTokens: report.input_tokens,
    outputTokens: report.output_tokens,
    cacheReadTokens: input?.cache_read,
    cacheWriteTokens: input?.cache_creation,
    audioInputTokens: input?.audio,
    reasoningTokens: output?.reasoning,
    audioOutputTokens: output?.audio,
  };
}
