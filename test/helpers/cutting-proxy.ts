import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { withPort } from "./tcp-proxy.js";

/**
 * What happens to a message to the server. `"lost"`: it never arrives, and the connection breaks. `"unanswered"`: it
 * arrives, and the connection breaks before the answer. A code: the server refuses it with that error, as it does with
 * all that follows in the same message.
 */
export type Fate = "passes" | "lost" | "unanswered" | { readonly code: string };

/** A proxy in front of a Postgres server. It decides about each message that asks the server to do something. */
export interface CuttingProxy {
  readonly url: string;
  /** The decider. Messages of all connections come to it in turn, each when it is about to be sent. */
  decide: (message: string) => Fate | Promise<Fate>;
  close(): Promise<void>;
}

export async function openCuttingProxy(serverUrl: string): Promise<CuttingProxy> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let isDeaf = false;
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => {}).on("close", () => other.destroy());
    }
    upstream.on("data", (data) => {
      if (!isDeaf) client.write(data);
      // The last message of each answer is "ready for query".
      else if (data.at(-6) === "Z".charCodeAt(0)) client.destroy();
    });
    const send = async (message: Buffer): Promise<void> => {
      const fate = await proxy.decide(message.toString("latin1"));
      if (fate === "lost") return void client.destroy();
      isDeaf = fate === "unanswered";
      if (typeof fate === "object") client.write(Buffer.concat([errorMessage(fate.code), ready]));
      else upstream.write(message);
    };
    let sent = Promise.resolve();
    const messages = new Messages((message, asks) => {
      sent = sent.then(() => (asks ? send(message) : void upstream.write(message)));
    });
    client.on("data", (data) => messages.add(data));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const proxy: CuttingProxy = {
    url: withPort(serverUrl, server.address()),
    decide: () => "passes",
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
  return proxy;
}

/** Cuts what a client sends into the parts after each of which it waits for the server. */
class Messages {
  #bytes = Buffer.alloc(0);
  /** The end of the last whole message in `#bytes`. */
  #end = 0;
  #hasStarted = false;

  constructor(private readonly take: (message: Buffer, asks: boolean) => void) {}

  add(data: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, data]);
    for (;;) {
      // Only the first message has no letter before its length.
      const start = this.#hasStarted ? this.#end + 1 : 0;
      if (this.#bytes.length < start + 4) return;
      const end = start + this.#bytes.readUInt32BE(start);
      if (this.#bytes.length < end) return;
      const kind = this.#hasStarted ? String.fromCharCode(this.#bytes[this.#end] ?? 0) : "";
      this.#hasStarted = true;
      this.#end = end;
      // Parse, Bind, Describe, Execute and Close wait for a Sync.
      if ("PBDEC".includes(kind) && kind !== "") continue;
      this.take(this.#bytes.subarray(0, end), kind === "Q" || kind === "S");
      this.#bytes = this.#bytes.subarray(end);
      this.#end = 0;
    }
  }
}

const ready = Buffer.from("Z\0\0\0\x05I", "latin1");

function errorMessage(code: string): Buffer {
  const body = Buffer.from(`SERROR\0C${code}\0MThe test wants this error.\0\0`, "latin1");
  const head = Buffer.from("E\0\0\0\0", "latin1");
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
