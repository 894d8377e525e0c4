import type { Context } from "hono";
import {
  type ErrorCode,
  GlassloopError,
  hasCode,
  InvalidInputError,
  InvalidOptionError,
  ThreadsDatabaseError,
} from "../../base/errors.js";
import { codeOf, messageOf } from "../../base/message-of.js";
import { errorWithoutSecrets, withoutSecretForms } from "../../base/secrets/without-secrets.js";
import { type ErrorStatus, RequestError, reasonOf } from "./request-error.js";

/** When a client may ask again that came at a bad time. */
const RETRY_SECONDS = "5";

/** Makes the response to a request that failed, without a stack and without secrets. */
export function errorResponse(error: unknown, context: Context): Response {
  const status = statusOf(error);
  if (status === 429 || status === 503) context.header("Retry-After", RETRY_SECONDS);
  return context.json(errorForm(error), status);
}

/** Returns what clients read of an error: a word and a sentence. An error of the server itself is logged. */
export function errorForm(error: unknown): { readonly error: string; readonly message: string } {
  const status = statusOf(error);
  if (status === 500) console.error(errorWithoutSecrets(error));
  return { error: reasonOf(status), message: withoutSecretForms(sentenceFor(error, status)) };
}

/** Where the database is, and which process runs a thread, is not for clients. */
function sentenceFor(error: unknown, status: ErrorStatus): string {
  if (error instanceof ThreadsDatabaseError) return `The database of the threads cannot be used: ${error.reason}`;
  if (hasCode(error, "thread-in-use")) return inUse;
  // The advice that follows is for programs that have the threads themselves.
  if (error instanceof GlassloopError && status === 404) return error.problem;
  if (error instanceof GlassloopError || status !== 500) return messageOf(error);
  return "The server failed at this request. Its log says why.";
}

/** What clients are told of a thread that is in use. */
export const inUse =
  'A run of this thread has not ended. Wait for it, cancel it, or give the new run a multitask_strategy such as "enqueue".';

/** The statuses of errors by their codes. */
const statuses: Partial<Record<ErrorCode, ErrorStatus>> = {
  "thread-not-found": 404,
  "checkpoint-not-kept": 404,
  "run-not-found": 404,
  "run-events-deleted": 404,
  "thread-exists": 409,
  "thread-waiting": 409,
  "decision-missing": 409,
  "run-exists": 409,
  "run-active": 409,
  "thread-in-use": 422,
  "foreign-thread": 422,
  "invalid-thread-id": 422,
  "not-waiting": 422,
  "no-turn-to-repeat": 422,
  "no-turn-to-continue": 422,
  "too-many-runs": 429,
  "server-closing": 503,
};

export function statusOf(error: unknown): ErrorStatus {
  if (error instanceof RequestError) return error.status;
  if (error instanceof InvalidInputError || error instanceof InvalidOptionError) return 422;
  // It may be there again in a moment; of one that a newer version has changed, another server may answer.
  if (error instanceof ThreadsDatabaseError) return 503;
  // A client that left while it sent its request: nobody reads the response, and it is no failure of the server.
  if (codeOf(error) === "ECONNRESET") return 400;
  // LangGraph's own error for a subgraph that the graph has not.
  if (/^Subgraph ".*" not found$/s.test(messageOf(error))) return 422;
  return (error instanceof GlassloopError ? statuses[error.code] : undefined) ?? 500;
}
