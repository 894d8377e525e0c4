import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { type ErrorCode, ToolError } from "../../../src/base/errors.js";
import { type LocalServer, startLocalServer } from "../../helpers/local-server.js";

export type Reply = (request: IncomingMessage, response: ServerResponse) => void;

/** A web server on 127.0.0.1 that takes note of what it is asked for. */
export interface WebServer extends LocalServer {
  readonly seen: string[];
  /** The headers of the last request. */
  headers: IncomingHttpHeaders;
  reply: Reply;
  /** Its host and port, such as "127.0.0.1:4711". */
  readonly place: string;
  /** Gives a page of a type for each request. */
  serve(body: string | Uint8Array, headers?: Record<string, string>, status?: number): void;
}

export async function startWebServer(): Promise<WebServer> {
  const local = await startLocalServer((request, response) => {
    web.seen.push(request.url ?? "");
    web.headers = request.headers;
    web.reply(request, response);
  });
  const web: WebServer = {
    ...local,
    seen: [],
    headers: {},
    reply: (_request, response) => response.end(),
    place: `127.0.0.1:${local.port}`,
    serve(body, headers = { "content-type": "text/html" }, status = 200) {
      web.reply = (_request, response) => response.writeHead(status, headers).end(body);
    },
  };
  return web;
}

/** Returns the error of a tool with which some work fails. */
export async function toolErrorOf(work: Promise<unknown>, code: ErrorCode): Promise<ToolError> {
  const error = await work.catch((reason: unknown) => reason);
  if (error instanceof ToolError && error.code === code) return error;
  throw new Error(`It did not fail as it should: ${String(error)}`);
}
