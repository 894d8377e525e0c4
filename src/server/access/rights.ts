import type { MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import { RequestError } from "../wire/request-error.js";
import { type Caller, type Right, rights } from "./authenticate.js";
import type { ServerVariables } from "./owners.js";

/** @throws RequestError 403 if the caller has none of the rights. */
export function demand({ may }: Pick<Caller, "may">, ...needed: readonly Right[]): void {
  if (needed.some((right) => may.has(right))) return;
  throw new RequestError(403, `This needs the right to ${needed.join(" or ")}.`);
}

/** Returns the check of the right that a route needs. */
export function checkRights(): MiddlewareHandler<{ Variables: ServerVariables }> {
  return async (context, next) => {
    const route = matchedRoutes(context).at(-1);
    // Without a route the request is refused as unknown.
    if (route !== undefined && route.method !== "ALL") demand(context.get("caller"), ...rightsOf(route));
    await next();
  };
}

const reading = /\/(?:search|count|history|checkpoint|namespaces|events)$/;
const ordering = /\/(?:runs|runs\/stream|runs\/wait)$/;
const asking = /\/(?:threads|cancel|continue)$/;

/** Returns the rights one of which a route needs. What a run needs beyond that is judged by what its body asks for. */
function rightsOf({ method, path }: { readonly method: string; readonly path: string }): readonly Right[] {
  if (method === "GET" || (method === "POST" && reading.test(path))) return ["read"];
  // Each command needs its own.
  if (method === "POST" && path.endsWith("/commands")) return rights;
  if (method === "POST" && ordering.test(path)) return ["ask", "decide", "write"];
  return method === "POST" && asking.test(path) ? ["ask"] : ["write"];
}
