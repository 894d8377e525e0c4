import { z } from "zod";
import type { Cut, IntermediateStep } from "./decision.js";

/** The finish reason of a reply in which the model refuses to answer. The word is Anthropic's. */
export const refusal = "refusal";

/** The finish reason of a reply that the provider paused, with a tool of its own at work. The word is Anthropic's. */
export const paused = "pause_turn";

/** Tells whether the reply of a step stands in the messages: its calls were made, or the provider paused it. */
export function isFollowed({ decision, reply }: IntermediateStep): boolean {
  return decision.kind !== "unparseable" || reply.finishReason === paused;
}

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

/** The finish reasons of providers for a reply that they ended early, in small letters. */
const cuts: Readonly<Record<string, Cut>> = {
  length: "length",
  max_tokens: "length",
  max_output_tokens: "length",
  content_filter: "filtered",
  // Google's words.
  safety: "filtered",
  recitation: "filtered",
  blocklist: "filtered",
  prohibited_content: "filtered",
  spii: "filtered",
};

/** Reads the reason of a provider for ending a reply early. Returns undefined for a complete reply. */
export function cutReason(finishReason = ""): Cut | undefined {
  return cuts[finishReason.toLowerCase()];
}
