import type { MiddlewareHandler } from "hono";
import { RequestError } from "../wire/request-error.js";
import type { Authenticate } from "./authenticate.js";
import { hasKey } from "./keys.js";

/** What the routes know of a request. */
export interface ServerVariables {
  /** The owner of the threads that the request may see; undefined if the server knows no owners. */
  readonly owner: string | undefined;
}

/**
 * Returns the check of who sends a request. Without keys and without `authenticate` everybody may, and nothing has an owner.
 *
 * @param keys The keys, one of which a request must have.
 */
export function checkOwner(
  keys: readonly string[],
  authenticate: Authenticate | undefined,
): MiddlewareHandler<{ Variables: ServerVariables }> {
  return async (context, next) => {
    const { raw } = context.req;
    if (keys.length > 0 && !hasKey(keys, raw.headers)) {
      throw new RequestError(401, "A key is needed: send it as X-Api-Key, or as Authorization: Bearer KEY.");
    }
    // Its body is for the routes.
    const owner = await authenticate?.(new Request(raw.url, { method: raw.method, headers: raw.headers }));
    if (authenticate && (typeof owner !== "string" || owner === "")) {
      throw new RequestError(401, "The server does not know who sent this request.");
    }
    context.set("owner", owner);
    await next();
  };
}
