import type { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import { z } from "zod";

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

/** What a provider reported of the tokens of a reply, in LangChain's words. */
export type UsageReport = z.infer<typeof reportSchema>;

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
export function usageIn({
  usage_metadata: read,
  response_metadata,
}: AIMessage | AIMessageChunk): UsageReport | undefined {
  const { data } = completionsSchema.safeParse(response_metadata.usage);
  if (read?.input_token_details || data === undefined)
    return reportSchema.safeParse(read ?? response_metadata.usage).data;
  return {
    input_tokens: data.prompt_tokens,
    output_tokens: data.completion_tokens,
    input_token_details: { cache_read: data.prompt_tokens_details?.cached_tokens },
    output_token_details: { reasoning: data.completion_tokens_details?.reasoning_tokens },
  };
}
