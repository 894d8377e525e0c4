import { z } from "zod";
import { type Ending, endingsOfWords, wholeWords } from "./finish-words.js";

/** The finish reason of a reply in which the model refuses to answer. The word is Anthropic's. */
export const refusal = "refusal";

/** The finish reason of a reply that the provider paused, with a tool of its own at work. The word is Anthropic's. */
export const paused = "pause_turn";

/** The finish reason of a reply with a tool call that the server could not read. The word is Gemini's. */
export const malformedCall = "malformed_function_call";

/** The reasons of a provider for ending a reply early: its token limit, or its content filter. */
export type Cut = Extract<Ending, "length" | "filtered">;

const word = z.string().optional().catch(undefined);

const metadataSchema = z.object({
  finish_reason: word,
  finishReason: word,
  stop_reason: word,
  done_reason: word,
  incomplete_details: z.object({ reason: word }).optional().catch(undefined),
});

/** Returns the provider's reason for the end of a reply: of OpenAI, Google, Anthropic or Ollama. An empty one is none. */
export function finishReasonIn(metadata: unknown): string | undefined {
  const { incomplete_details, ...words } = metadataSchema.safeParse(metadata).data ?? {};
  return [...Object.values(words), incomplete_details?.reason].find(Boolean);
}

/** Says what a provider's reason for the end of a reply means. A reply without a reason is whole. */
export function endingOf(finishReason = ""): Ending {
  const [said = ""] = finishReason.toLowerCase().split(":");
  return endingsOfWords[said] ?? (said === "" || wholeWords.test(said) ? "whole" : "unknown");
}

/** Reads the reason of a provider for ending a reply early. Returns undefined for a complete reply. */
export function cutReason(finishReason?: string): Cut | undefined {
  const ending = endingOf(finishReason);
  return ending === "length" || ending === "filtered" ? ending : undefined;
}
