import type { MiddlewareHandler } from "hono";
import { attempted } from "../../base/attempted.js";
import { RequestError } from "../wire/request-error.js";
import { hostOf } from "./hosts.js";

const methods = "GET, POST, PUT, PATCH, DELETE";
/** The headers that LangGraph's clients read. */
const readable = "Content-Location, Location, X-Pagination-Total, X-Pagination-Next, Retry-After";

/**
 * Returns the check of the `Origin` of a request: the site of the page that sends it. Pages of the server itself and of the named
 * sites may send requests, and read the responses (CORS). Programs send no origin.
 *
 * @param allowed The sites, such as `https://smith.langchain.com`.
 */
export function checkOrigin(allowed: readonly string[]): MiddlewareHandler {
  const sites = new Set(allowed.map((site) => attempted(() => new URL(site).origin) ?? site));
  return async (context, next) => {
    context.header("Vary", "Origin");
    const origin = context.req.header("Origin");
    // A proxy in front may have ended TLS, so the protocol may differ.
    const isOwn = origin === undefined || attempted(() => new URL(origin).host) === hostOf(context).toLowerCase();
    if (isOwn) return next();
    if (!sites.has(origin)) {
      throw new RequestError(
        403,
        `Pages of ${origin} may not use this server. Add the site to origins, or to --origin.`,
      );
    }
    context.header("Access-Control-Allow-Origin", origin);
    context.header("Access-Control-Expose-Headers", readable);
    if (context.req.method !== "OPTIONS") return next();
    context.header("Access-Control-Allow-Methods", methods);
    context.header("Access-Control-Allow-Headers", context.req.header("Access-Control-Request-Headers") ?? "*");
    // Chrome asks for it before a page of the internet may reach a server on this machine.
    context.header("Access-Control-Allow-Private-Network", "true");
    context.header("Access-Control-Max-Age", "600");
    return context.body(null, 204);
  };
}
