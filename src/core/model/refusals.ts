import { ModelError, type RequestPart } from "../../base/errors.js";

/** Tells whether a server refused a prompt because it is too long. */
export function isTooLong(error: unknown): error is ModelError {
  return error instanceof ModelError && error.kind === "too-long";
}

/** Tells whether a server refused a request because of a part of it. */
export function refuses(part: RequestPart, error: unknown): error is ModelError {
  return error instanceof ModelError && error.refuses.includes(part);
}
