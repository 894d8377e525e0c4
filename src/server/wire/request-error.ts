import { GlassloopError } from "../../base/errors.js";

/** The words for the statuses of responses to requests that failed. */
const reasons = {
  400: "bad-request",
  401: "unauthorized",
  403: "forbidden",
  404: "not-found",
  405: "not-allowed",
  409: "conflict",
  413: "too-large",
  422: "unprocessable",
  429: "too-many",
  500: "failed",
  501: "not-implemented",
  503: "unavailable",
} as const;

/** The HTTP status of a request that failed. */
export type ErrorStatus = keyof typeof reasons;

/** Returns the word for a status, such as `not-found`. */
export function reasonOf(status: ErrorStatus): string {
  return reasons[status];
}

/** The error for a request that the server refuses. Nothing was changed. */
export class RequestError extends GlassloopError {
  constructor(
    /** The HTTP status of the response. */
    readonly status: ErrorStatus,
    problem: string,
    options?: ErrorOptions,
  ) {
    super("request-refused", problem, options);
  }
}
