import { once } from "node:events";
import { createServer } from "node:http";
import { isIP } from "node:net";
import { SetupError } from "../../base/errors.js";
import { codeOf, messageOf } from "../../base/message-of.js";
import type { AgentServer } from "../../server/serve-agents.js";
import { UsageError } from "../program/exit-codes.js";

/** Where a server listens. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Has a server listen. A client has 30 seconds to send its request.
 *
 * @returns The port, which is another one if 0 was given, and what ends the listening: open connections get no further request.
 * @throws UsageError if the address is taken or not this machine's; SetupError without the package `@hono/node-server`.
 */
export async function listen(server: AgentServer, { host, port }: Address) {
  const { getRequestListener } = await import("@hono/node-server").catch((cause: unknown) => {
    throw new SetupError("missing-package", "@hono/node-server", "Servers of Node", { cause });
  });
  const http = createServer({ requestTimeout: 30_000 }, getRequestListener(server.fetch));
  http.listen(port, host);
  await once(http, "listening").catch((error: unknown) => {
    throw new UsageError(problemOf(error, { host, port }));
  });
  const address = http.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    async close() {
      http.close();
      http.closeAllConnections();
    },
  };
}

function problemOf(error: unknown, { host, port }: Address): string {
  if (codeOf(error) === "EADDRINUSE") return `Port ${port} is in use. Give another one: --port ${port + 1}.`;
  if (codeOf(error) === "EACCES") return `Port ${port} may not be used. Give one from 1024: --port 2024.`;
  return `The server cannot listen on ${host}: ${messageOf(error)}.`;
}

/** Tells whether a host is this machine alone. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}
