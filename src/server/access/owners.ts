import { createHash, timingSafeEqual } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import { RequestError } from "../wire/request-error.js";

/** Tells whose request it is: a name for the owner of what it makes. Undefined refuses the request. */
export type Authenticate = (request: Request) => string | undefined | Promise<string | undefined>;

/** What the routes know of a request. */
export interface ServerVariables {
  /** The owner of the threads that the request may see; undefined if the server knows no owners. */
  readonly owner: string | undefined;
}

/**
 * Returns the check of who sends a request. Without keys and without `authenticate` everybody may, and nothing has an owner.
 *
 * @param keys The keys, one of which a request must have: as `Authorization: Bearer KEY` or as `X-Api-Key: KEY`.
 */
export function checkOwner(
  keys: readonly string[],
  authenticate: Authenticate | undefined,
): MiddlewareHandler<{ Variables: ServerVariables }> {
  return async (context, next) => {
    const { raw } = context.req;
    if (keys.length > 0 && !keys.some((key) => isSame(key, keyOf(raw.headers)))) {
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

function keyOf(headers: Headers): string {
  const bearer = /^Bearer\s+(.+)$/i.exec(headers.get("Authorization") ?? "")?.[1];
  return bearer ?? headers.get("X-Api-Key") ?? "";
}

/** Compares two keys in a time that does not depend on where they differ. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(digestOf(one), digestOf(other));
}

function digestOf(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}
