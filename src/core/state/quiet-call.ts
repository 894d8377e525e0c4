import type { BaseMessage } from "@langchain/core/messages";
import { z } from "zod";
import { promptDigest } from "./prompt-record.js";
import { askedSchema } from "./times.js";

/**
 * The purposes of model calls that are no steps: writing a standalone question (`rephrasing`) or a summary of old turns, and
 * those of a retrieval agent, which routes, writes queries, grades passages, rewrites the query, looks for what is missing,
 * makes notes on passages or a draft from them, checks the answer, and says in the user's language that nothing was found.
 */
export const quietPurposes = [
  "rephrasing",
  "summary",
  "routing",
  "translation",
  "grading",
  "rewriting",
  "next-query",
  "note",
  "draft",
  "check",
  "not-found",
] as const;

export const quietCallSchema = z.object({
  purpose: z.enum(quietPurposes),
  model: z.string(),
  sha256: z.string(),
  text: z.string(),
  messages: z.array(z.object({ type: z.string(), content: z.unknown() })).optional(),
  after: z.number().optional(),
  id: z.string().optional(),
  ...askedSchema.partial().shape,
});

/**
 * A model call of a turn that is no step.
 *
 * - `model`: the name of the model. `text`: the text of its reply.
 * - `sha256`: the SHA-256 of what was sent.
 * - `messages`: the messages that were sent. A rephrasing has none: its prompt is made of the chat history, which is in the
 *   state.
 * - `after`: the number of replies of the turn before the call. Left out: none.
 * - `id`: its own. `times` and `usage`: those of all its tries ({@link Asked}). A thread of before has none of the three.
 */
export interface QuietCall extends z.infer<typeof quietCallSchema> {}

/** Makes the note of a call. */
export function quietCall(
  purpose: QuietCall["purpose"],
  model: string,
  messages: readonly BaseMessage[],
  text: string,
): QuietCall {
  const sent = messages.map((message) => ({ type: message.getType(), content: message.content }));
  return {
    purpose,
    model,
    sha256: quietDigest(messages, model),
    text,
    ...(purpose !== "rephrasing" && { messages: sent }),
  };
}

/** Returns the SHA-256 of the prompt of such a call. It has neither tools nor stop texts. */
export function quietDigest(messages: readonly BaseMessage[], model: string): string {
  return promptDigest(messages, { model, tools: [], outputSchema: "", stop: [] });
}
