import type { Context } from "hono";
import { GlassloopError, hasCode, InvalidInputError, InvalidOptionError } from "../../base/errors.js";
import { messageOf } from "../../base/message-of.js";
import { withoutSecretForms } from "../../base/secrets/without-secrets.js";
import { RequestError, reasonOf } from "./request-error.js";

/** Makes the response to a request that failed, without a stack and without secrets. */
export function errorResponse(error: unknown, context: Context): Response {
  return context.json(errorForm(error), statusOf(error));
}

/** Returns what clients read of an error: a word and a sentence. An error of the server itself is logged. */
export function errorForm(error: unknown): { readonly error: string; readonly message: string } {
  const status = statusOf(error);
  const message =
    error instanceof GlassloopError || status !== 500
      ? messageOf(error)
      : "The server failed at this request. Its log says why.";
  if (status === 500) console.error(error);
  return { error: reasonOf(status), message: withoutSecretForms(message) };
}

function statusOf(error: unknown) {
  if (error instanceof RequestError) return error.status;
  if (hasCode(error, "thread-not-found") || hasCode(error, "checkpoint-not-kept") || hasCode(error, "run-not-found"))
    return 404;
  if (hasCode(error, "thread-exists") || hasCode(error, "run-exists") || hasCode(error, "run-active")) return 409;
  if (hasCode(error, "too-many-runs")) return 429;
  if (hasCode(error, "server-closing")) return 503;
  // An update for a node that the graph has not.
  if (error instanceof Error && error.name === "InvalidUpdateError") return 422;
  if (hasCode(error, "thread-in-use") || error instanceof InvalidInputError || error instanceof InvalidOptionError)
    return 422;
  if (hasCode(error, "invalid-thread-id") || hasCode(error, "not-waiting")) return 422;
  if (hasCode(error, "threads-database-failed")) return 503;
  return 500;
}
