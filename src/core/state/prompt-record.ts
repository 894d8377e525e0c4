import { hash } from "node:crypto";
import type { BaseMessage } from "@langchain/core/messages";
import { z } from "zod";

const json = z.record(z.string(), z.unknown());

/**
 * What a prompt is made of that is not in the rest of the state. The state has the one of the newest reply. It is stored
 * when it changes, and not with each step.
 *
 * - `model`: the name of the model. `protocol`: the name of the protocol, and `options` those of its options that are data.
 * - `instructions`: the user's system prompt. `outputInstructions`: what asks for the form of an output.
 * - `tools`: the tools that the prompt shows. `outputSchema`: the JSON schema of an output tool or a response format.
 * - `stop`: the texts that were sent for the model to stop at.
 * - `observationCharacters`: the largest number of characters of an observation that it shows. Left out: it shows all.
 * - `currentDate`, `images`: true if the prompt shows the date of the turn, or the images in results.
 */
export const promptRecordSchema = z.object({
  model: z.string(),
  protocol: z.string(),
  options: json.optional(),
  instructions: z.string(),
  outputInstructions: z.string(),
  examples: z.array(z.string()).optional(),
  tools: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      parameters: json.optional(),
      untrusted: z.boolean().optional(),
      fence: z.boolean().optional(),
    }),
  ),
  outputSchema: z.string(),
  stop: z.array(z.string()),
  currentDate: z.boolean(),
  observationCharacters: z.number().optional(),
  images: z.boolean(),
});
export type PromptRecord = z.infer<typeof promptRecordSchema>;

/**
 * What was shortened in a prompt so that it fits: the ids of the actions whose observations it shows in their first words,
 * and the number of the oldest turns that it leaves out. `cut` has the number of characters of observations that were too
 * long for the model when they were the newest, by the ids of their actions.
 */
export const shortenedSchema = z.object({
  observations: z.array(z.string()),
  turns: z.number(),
  cut: z.record(z.string(), z.number()).optional(),
});
export type Shortened = z.infer<typeof shortenedSchema>;

export const nothingShortened: Shortened = { observations: [], turns: 0 };

/** Returns the SHA-256 of a prompt as it was sent: of its messages, and of what goes with them. */
export function promptDigest(
  messages: readonly BaseMessage[],
  { model, tools, outputSchema, stop }: Pick<PromptRecord, "model" | "tools" | "outputSchema" | "stop">,
): string {
  const sent = messages.map((message) => ({
    type: message.getType(),
    content: message.content,
    ...("tool_calls" in message && { tool_calls: message.tool_calls }),
    ...("tool_call_id" in message && { tool_call_id: message.tool_call_id }),
  }));
  return hash("sha256", JSON.stringify({ model, tools, outputSchema, stop, messages: sent }));
}
