import type { BaseMessage } from "@langchain/core/messages";
import { z } from "zod";
import type { Tokens } from "../state/usage.js";
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
