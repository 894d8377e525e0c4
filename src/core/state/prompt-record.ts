import { hash } from "node:crypto";
import type { BaseMessage } from "@langchain/core/messages";
import { z } from "zod";
import { fileForms, fileKinds } from "../../content/file-block.js";
import { digestOfMessage } from "../../content/message-digest.js";
import { formFor } from "../../provider-forms/form-for.js";
import { providerFormSchema } from "../../provider-forms/provider-form.js";

/**
 * What a model or its package in LangChain does not take in a conversation:
 *
 * - `unsigned-calls`: calls of this turn without the signed reasoning before them.
 * - `reply-blocks`: the content blocks of its own replies.
 * - `result-blocks`: text blocks in a tool message.
 * - `question-after-result`: a human message right after a tool message.
 */
export const refusals = ["unsigned-calls", "reply-blocks", "result-blocks", "question-after-result"] as const;
export type Refusal = (typeof refusals)[number];

const json = z.record(z.string(), z.unknown());

export const promptRecordSchema = z.object({
  model: z.string(),
  refuses: z.array(z.enum(refusals)),
  form: providerFormSchema.optional(),
  name: z.string().optional(),
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
  files: z.array(z.enum(fileKinds)),
  fileForm: z.enum(fileForms),
});

/**
 * What a prompt is made of that is not in the rest of the state. The state has the one of the newest reply. It is stored
 * when it changes, and not with each step.
 *
 * - `model`: the name of the model. `refuses`: what it or its package does not take. `form`: what its provider takes. `name`: the name of the agent. `protocol`: the name of the protocol, and `options` those of its options that are data.
 * - `instructions`: the user's system prompt. `outputInstructions`: what asks for the form of an output.
 * - `tools`: the tools that the prompt shows. Of a tool of the provider only the name is kept: a definition may hold keys. `outputSchema`: the JSON schema of an output tool or a response format.
 * - `stop`: the texts that were sent for the model to stop at.
 * - `observationCharacters`: the largest number of characters of an observation that the prompt shows; left out if there is
 *   no limit.
 * - `currentDate`: true if the prompt shows the date of the turn.
 * - `files`: the kinds of files that the prompt contains; others are described in words. `fileForm`: the form of their
 *   blocks.
 */
export interface PromptRecord extends z.infer<typeof promptRecordSchema> {}

export const shortenedSchema = z.object({
  observations: z.array(z.string()),
  turns: z.number(),
  cut: z.record(z.string(), z.number()).optional(),
});

/**
 * What was shortened in a prompt so that it fits: the ids of the actions whose observations it shows in their first words,
 * and the number of the oldest turns that it leaves out. `cut` has the number of characters of observations that were too
 * long for the model when they were the newest, by the ids of their actions.
 */
export interface Shortened extends z.infer<typeof shortenedSchema> {}

export const nothingShortened: Shortened = { observations: [], turns: 0 };

/** Returns what the last prompt showed only in part. This stays shortened, so that the provider's prompt cache matches. */
export function shortenedBefore({ reply, chatHistory }: ShortenedPrompts): Shortened {
  return reply?.shortened ?? chatHistory.shortened ?? nothingShortened;
}

/** What a state knows of the prompts before. */
interface ShortenedPrompts {
  readonly reply: { readonly shortened?: Shortened | undefined } | null;
  readonly chatHistory: { readonly shortened?: Shortened | undefined };
}

/** The version of the digest of prompts. Raise it when the digest covers other fields. */
const digestVersion = 2;

/**
 * Returns the version of the digest, and the SHA-256 of a prompt as it was sent: of its messages, and of what goes with them.
 */
export function promptDigest(
  messages: readonly BaseMessage[],
  {
    model,
    tools: own,
    outputSchema,
    stop,
    form,
  }: Pick<PromptRecord, "model" | "tools" | "outputSchema" | "stop" | "form">,
): string {
  const { tools } = formFor(form, [], own);
  const sent = messages.map(digestOfMessage);
  return `${digestVersion}:${hash("sha256", JSON.stringify({ model, tools, outputSchema, stop, messages: sent }))}`;
}
