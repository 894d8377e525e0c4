import type { Context } from "hono";
import { type ErrorCode, GlassloopError, InvalidInputError, InvalidOptionError } from "../../base/errors.js";
import { codeOf, messageOf } from "../../base/message-of.js";
import { withoutSecretForms } from "../../base/secrets/without-secrets.js";
import { type ErrorStatus, RequestError, reasonOf } from "./request-error.js";

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

/** The statuses of errors by their codes. */
const statuses: Partial<Record<ErrorCode, ErrorStatus>> = {
  "thread-not-found": 404,
  "checkpoint-not-kept": 404,
  "run-not-found": 404,
  "thread-exists": 409,
  "run-exists": 409,
  "run-active": 409,
  "thread-in-use": 422,
  "invalid-thread-id": 422,
  "not-waiting": 422,
  "no-turn-to-repeat": 422,
  "no-turn-to-continue": 422,
  "too-many-runs": 429,
  "server-closing": 503,
  "threads-database-failed": 503,
};

function statusOf(error: unknown): ErrorStatus {
  if (error instanceof RequestError) return error.status;
  if (error instanceof InvalidInputError || error instanceof InvalidOptionError) return 422;
  // A client that left while it sent its request: nobody reads the response, and it is no failure of the server.
  if (codeOf(error) === "ECONNRESET") return 400;
  // LangGraph's own error for an update as a node that the graph has not.
  if (error instanceof Error && error.name === "InvalidUpdateError") return 422;
  return (error instanceof GlassloopError ? statuses[error.code] : undefined) ?? 500;
}
