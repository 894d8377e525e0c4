import { z } from "zod";

/** The finish reason of a reply in which the model refuses to answer. The word is Anthropic's. */
export const refusal = "refusal";

const word = z.string().optional().catch(undefined);

const metadataSchema = z.object({
  finish_reason: word,
  finishReason: word,
  stop_reason: word,
  done_reason: word,
});

/** Returns the provider's reason for the end of a reply: of OpenAI, Google, Anthropic or Ollama. */
export function finishReasonIn(metadata: unknown): string | undefined {
  const { data } = metadataSchema.safeParse(metadata);
  return data?.finish_reason ?? data?.finishReason ?? data?.stop_reason ?? data?.done_reason;
}
