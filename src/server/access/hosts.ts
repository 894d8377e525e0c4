import type { MiddlewareHandler } from "hono";
import { RequestError } from "../wire/request-error.js";

const loopback = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Returns the check of the `Host` of a request. A page of another site can give its own name the address of this machine (DNS
 * rebinding). Its requests then have that name as their host, and are refused.
 *
 * @param allowed The names beside those of this machine, without a port.
 */
export function checkHost(allowed: readonly string[]): MiddlewareHandler {
  const names = new Set([...loopback, ...allowed.map((name) => name.toLowerCase())]);
  return async (context, next) => {
    const { hostname } = new URL(context.req.url);
    if (!names.has(hostname.toLowerCase())) {
      throw new RequestError(403, `The host "${hostname}" is not allowed. Add it to allowedHosts.`);
    }
    await next();
  };
}
