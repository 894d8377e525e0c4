import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";

/** A server of HTTP on 127.0.0.1. */
export interface LocalServer extends AsyncDisposable {
  readonly port: number;
  /** Its address, such as `http://127.0.0.1:4711`. */
  readonly origin: string;
}

/** Starts a server on a free port. */
export async function startLocalServer(handle: RequestListener): Promise<LocalServer> {
  const server = createServer({ keepAliveTimeout: 0 }, handle).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return {
    port: address.port,
    origin: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
