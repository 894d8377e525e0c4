import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A proxy in front of a server, to test what a bad network does. */
export interface TcpProxy {
  /** The address of the server, with the proxy in its place. */
  readonly url: string;
  /** The number of connections that were opened. */
  readonly opened: () => number;
  /** Forwards nothing more, in both directions, and keeps all connections open. */
  stall(): void;
  /** Forwards again what comes on new connections. */
  heal(): void;
  close(): Promise<void>;
}

export async function openProxy(serverUrl: string): Promise<TcpProxy> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let isStalled = false;
  let opened = 0;
  const pipe = (from: Socket, to: Socket) => {
    let isDead = isStalled;
    from.on("data", (data) => {
      isDead ||= isStalled;
      if (!isDead) to.write(data);
    });
    from.on("error", () => {});
    // Nobody tells the server that the other end of a dead network is gone.
    from.on("close", () => !isDead && !isStalled && to.destroy());
    sockets.add(from);
  };
  const proxy = createServer((client) => {
    opened += 1;
    const server = connect(Number(target.port), target.hostname);
    pipe(client, server);
    pipe(server, client);
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return {
    url: withPort(serverUrl, proxy.address()),
    opened: () => opened,
    stall: () => {
      isStalled = true;
    },
    heal: () => {
      isStalled = false;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      proxy.close();
      await once(proxy, "close");
    },
  };
}

/** Returns an address with the port of a server of the test's own. */
export function withPort(url: string, address: ReturnType<ReturnType<typeof createServer>["address"]>): string {
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  const changed = new URL(url);
  changed.host = `127.0.0.1:${address.port}`;
  return changed.href;
}
