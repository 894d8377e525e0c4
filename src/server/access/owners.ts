import type { MiddlewareHandler } from "hono";
import type { ThreadDirectory } from "../../threads/runs/index.js";
import { RequestError } from "../wire/request-error.js";
import { type Authenticate, type Caller, callerOf, everybody, isSeen } from "./authenticate.js";
import { hasKey } from "./keys.js";

/** What the routes know of a request. */
export interface ServerVariables {
  readonly caller: Caller;
  /** The owner of the thread of the request, or of what it makes; undefined if the server knows no owners. */
  readonly owner: string | undefined;
}

type Check = MiddlewareHandler<{ Variables: ServerVariables }>;

/**
 * Returns the check of who sends a request. Without keys and without `authenticate` everybody may, and nothing has an owner.
 *
 * @param keys The keys, one of which a request must have.
 */
export function checkOwner(keys: readonly string[], authenticate: Authenticate | undefined): Check {
  return async (context, next) => {
    const { raw } = context.req;
    if (keys.length > 0 && !hasKey(keys, raw.headers)) {
      throw new RequestError(401, "A key is needed: send it as X-Api-Key, or as Authorization: Bearer KEY.");
    }
    // Its body is for the routes.
    const known = await authenticate?.(new Request(raw.url, { method: raw.method, headers: raw.headers }));
    if (authenticate && !known) throw new RequestError(401, "The server does not know who sent this request.");
    const caller = known ? callerOf(known) : everybody;
    context.set("caller", caller);
    context.set("owner", caller.owner);
    await next();
  };
}

/** Returns the step that finds whose thread a request is about. One that the sender does not see is looked for as their own. */
export function findOwner(threads: ThreadDirectory): Check {
  return async (context, next) => {
    context.set("owner", await ownerFor(threads, context.get("caller"), context.req.param("thread")));
    await next();
  };
}

/** Returns the owner of a thread that a caller sees; the caller's own for another one, and for one that is not there. */
export async function ownerFor(
  threads: ThreadDirectory,
  caller: Caller,
  thread: string | undefined | null,
): Promise<string | undefined> {
  const owner = caller.sees.length > 0 && thread ? await threads.ownerOf(thread) : caller.owner;
  return isSeen(caller, owner) ? owner : caller.owner;
}
