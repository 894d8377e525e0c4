import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { withPort } from "./tcp-proxy.js";

/** A pooler in transaction mode, as pgbouncer is one: it gives each transaction another connection to the server. */
export interface TestPooler {
  readonly url: string;
  close(): Promise<void>;
}

const CONNECTIONS = 3;

/** Starts a pooler in front of a server that asks for no password. */
export async function startPooler(serverUrl: string): Promise<TestPooler> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  const dial = () => {
    const socket = connect(Number(target.port), target.hostname);
    socket.on("error", () => {});
    sockets.add(socket);
    return socket;
  };
  const pooler = createServer((client) => {
    sockets.add(client);
    const servers = Array.from({ length: CONNECTIONS }, dial);
    client.on("error", () => {});
    client.on("close", () => servers.forEach((server) => void server.destroy()));
    serve(client, servers);
  }).listen(0, "127.0.0.1");
  await once(pooler, "listening");
  return {
    url: withPort(serverUrl, pooler.address()),
    async close() {
      for (const socket of sockets) socket.destroy();
      pooler.close();
      await once(pooler, "close");
    },
  };
}

/** Gives each transaction of a client to the next connection. All connections get the startup of the client. */
function serve(client: Socket, servers: readonly Socket[]): void {
  let current = 0;
  let isIdle = true;
  let hasStarted = false;
  client.on("data", (data) => {
    if (!hasStarted) {
      hasStarted = true;
      for (const server of servers) server.write(data);
      return;
    }
    if (isIdle) current = (current + 1) % servers.length;
    isIdle = false;
    servers[current]?.write(data);
  });
  servers.forEach((server, index) => {
    let started = false;
    readMessages(server, (message) => {
      const status = message.toString("latin1", 0, 1) === "Z" ? message.toString("latin1", 5, 6) : undefined;
      // The client sees the startup of the first connection only.
      if (started ? index === current : index === 0) client.write(message);
      if (started && index === current && status === "I") isIdle = true;
      if (status !== undefined) started = true;
    });
  });
}

/** Reads the messages of the server. Each has a letter and the length of the rest. */
function readMessages(socket: Socket, onMessage: (message: Buffer) => void): void {
  let rest = Buffer.alloc(0);
  socket.on("data", (data) => {
    rest = Buffer.concat([rest, data]);
    while (rest.length >= 5 && rest.length >= 1 + rest.readInt32BE(1)) {
      const end = 1 + rest.readInt32BE(1);
      onMessage(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
  });
}
