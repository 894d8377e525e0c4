import { isIPv6 } from "node:net";
import type { Context, MiddlewareHandler } from "hono";
import { attempted } from "../../base/attempted.js";
import { RequestError } from "../wire/request-error.js";

const loopback = ["localhost", "127.0.0.1", "::1"];

/**
 * Returns the check of the `Host` of a request. A page of another site can give its own name the address of this machine (DNS
 * rebinding). Its requests then have that name as their host, and are refused.
 *
 * @param allowed The names beside those of this machine, without a port.
 */
export function checkHost(allowed: readonly string[]): MiddlewareHandler {
  const names = new Set([...loopback, ...allowed].map(nameOf));
  return async (context, next) => {
    const name = nameOf(hostOf(context));
    if (!names.has(name)) {
      throw new RequestError(403, `The host "${name}" is not allowed. Add it to allowedHosts, or to --allow-host.`);
    }
    await next();
  };
}

/** Returns the name in a host, without its port, and an address of version 6 in its brackets. */
function nameOf(host: string): string {
  return attempted(() => new URL(`http://${isIPv6(host) ? `[${host}]` : host}`).hostname) ?? host;
}

/** Returns the host that a client called, with its port. A framework around the server may write another one in the address. */
export function hostOf(context: Context): string {
  return context.req.header("Host") ?? new URL(context.req.url).host;
}
