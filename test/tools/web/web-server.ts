import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";

export type Reply = (request: IncomingMessage, response: ServerResponse) => void;

/** A web server on 127.0.0.1 that takes note of what it is asked for. */
export class WebServer implements AsyncDisposable {
  readonly seen: string[] = [];
  /** The headers of the last request. */
  headers: IncomingHttpHeaders = {};
  reply: Reply = (_request, response) => response.end();
  readonly #server = createServer((request, response) => {
    this.seen.push(request.url ?? "");
    this.headers = request.headers;
    this.reply(request, response);
  });

  static async start(address = "127.0.0.1"): Promise<WebServer> {
    const started = new WebServer();
    started.#server.listen(0, address);
    await once(started.#server, "listening");
    return started;
  }

  get port(): number {
    const address = this.#server.address();
    if (typeof address !== "object" || address === null) throw new Error("The server does not listen.");
    return address.port;
  }

  /** Its host and port, such as "127.0.0.1:4711". */
  get place(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Gives a page of a type for each request. */
  serve(
    body: string | Uint8Array,
    headers: Record<string, string> = { "content-type": "text/html" },
    status = 200,
  ): void {
    this.reply = (_request, response) => response.writeHead(status, headers).end(body);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
