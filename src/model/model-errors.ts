import { z } from "zod";
import { GlassloopError } from "../base/errors.js";
import type { FailedCall } from "../core/parts/models.js";
import { unbound } from "../langgraph/chat-models.js";
import { causeOf } from "./cause-of.js";
import { readFailure } from "./failure.js";
import type { Place } from "./failure-sentences.js";
import { failedCall } from "./server-words.js";

/**
 * Turns the failure of a model call into a readable error. The error says what happened, at which server, and what to
 * do.
 *
 * @param error The error that a LangChain chat model threw.
 * @param model The model that was asked. The message then names its server and the variable of its key.
 * @param signal The signal of the run. Every failure after an abort counts as the abort.
 * @returns A {@link ModelError} with the error as its cause. An abort, an error of Glassloop and an unknown error are
 *   returned unchanged.
 *
 * @example
 * ```ts
 * try {
 *   return await model.invoke(messages, { signal });
 * } catch (error) {
 *   throw toModelError(error, model, signal);
 * }
 * ```
 */
export function toModelError(error: unknown, model?: unknown, signal?: AbortSignal): unknown {
  if (signal?.aborted || error instanceof GlassloopError) return error;
  return causeOf(error, placeOf(model)) ?? error;
}

/** Reads the slip of a model, if that is why its server failed. */
export function failedCallOf(error: unknown): FailedCall | undefined {
  return failedCall(readFailure(error).body);
}

const url = z.string().optional().catch(undefined);
const modelSchema = z.object({
  apiUrl: url,
  baseUrl: url,
  serverURL: url,
  clientConfig: z.object({ baseURL: z.string().optional() }).optional(),
  lc_secrets: z.record(z.string(), z.string()).optional(),
});

/** Returns the words for the server of a model, with its address if that is known. */
export function serverName(model: unknown): string {
  return placeOf(model).server;
}

function placeOf(model: unknown): Place {
  const known = modelSchema.safeParse(unbound(model)).data;
  const address = known?.clientConfig?.baseURL ?? known?.baseUrl ?? known?.apiUrl ?? known?.serverURL;
  return {
    server: address ? `The model's server at ${address}` : "The model's server",
    variable: known?.lc_secrets?.apiKey ?? "the environment or in the option apiKey",
  };
}
