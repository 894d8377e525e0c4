import { once } from "node:events";
import { createServer } from "node:http";
import { isIP } from "node:net";
import { GlassloopError, SetupError } from "../../base/errors.js";
import { codeOf, messageOf } from "../../base/message-of.js";
import type { AgentServer } from "../../server/serve-agents.js";
import { UsageError } from "../program/exit-codes.js";

/** Where a server listens. */
interface Address {
  readonly host: string;
  readonly port: number;
}

/** A server that listens. */
export interface Listening extends AsyncDisposable {
  /** The port, which is another one if 0 was given. */
  readonly port: number;
  /** Answers requests, also those that came before. */
  serve(server: Pick<AgentServer, "fetch">): void;
}

/** In milliseconds: the time in which a client must have sent its request, and how often that is checked. */
const usualTimes = { requestTimeout: 30_000, connectionsCheckingInterval: 5_000 };

/**
 * Takes an address of this machine. Disposing gives it back, and ends all connections.
 *
 * @param times A client that has not sent its request by then gets a 408, and its connection ends.
 * @throws GlassloopError "port-in-use" if the port is taken; UsageError if the address is not this machine's; SetupError without
 *   the packages `hono` and `@hono/node-server`.
 */
export async function listen({ host, port }: Address, times = usualTimes): Promise<Listening> {
  const { getRequestListener } = await import("@hono/node-server").catch((cause: unknown) => {
    throw new SetupError("missing-package", "hono @hono/node-server", "Servers", { cause });
  });
  const { promise: started, resolve: serve } = withResolvers<Pick<AgentServer, "fetch">>();
  const answer = async (request: Request) => (await started).fetch(request);
  const http = createServer(times, getRequestListener(answer));
  http.listen(port, host);
  await once(http, "listening").catch((error: unknown) => {
    throw problemOf(error, { host, port });
  });
  const address = http.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    serve,
    async [Symbol.asyncDispose]() {
      http.close();
      http.closeAllConnections();
    },
  };
}

function withResolvers<Value>() {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

function problemOf(error: unknown, { host, port }: Address): Error {
  const cause = { cause: error };
  if (codeOf(error) === "EADDRINUSE") {
    return new GlassloopError("port-in-use", `Port ${port} is in use. Give another one: --port ${port + 1}.`, cause);
  }
  if (codeOf(error) === "EACCES")
    return new UsageError(`Port ${port} may not be used. Give one from 1024: --port 2024.`, cause);
  return new UsageError(`The server cannot listen on ${host}: ${messageOf(error)}.`, cause);
}

/** Tells whether a host is this machine alone. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}
