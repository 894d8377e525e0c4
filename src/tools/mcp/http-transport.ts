import { setTimeout as delay } from "node:timers/promises";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { FetchLike, TransportSendOptions } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import type { McpWebServer } from "./servers.js";

/** The longest time that the last messages to a server, such as a cancellation, may delay the end of a connection. */
const LAST_MESSAGES_MS = 1_000;

/** The mark of the error that {@link HttpTransport} answers a request with whose stream ended too early. */
export const STREAM_ENDED = "the connection ended before the result arrived";

/**
 * The connection to an MCP server on the web. It is the SDK's connection, with three differences:
 *
 * - A response that breaks off answers its request with an error at once. The SDK waits until the time limit.
 * - Closing lets the last messages out, so that the server learns of a cancelled call.
 * - Closing ends the session at the server.
 */
export class HttpTransport extends StreamableHTTPClientTransport {
  readonly #leaving = new Set<Promise<void>>();

  constructor({ url, headers }: McpWebServer) {
    const watched: FetchLike = async (address, init) => {
      const response = await fetch(address, init);
      const request = requestOf(init?.body);
      return request === undefined ? response : watch(response, () => this.#breakOff(request));
    };
    super(new URL(url), { requestInit: { headers }, fetch: watched });
  }

  override async send(message: JSONRPCMessage | JSONRPCMessage[], options?: TransportSendOptions): Promise<void> {
    const sending = super.send(message, options);
    if ("id" in message) return sending;
    const settled = sending.catch(() => {}).finally(() => this.#leaving.delete(settled));
    this.#leaving.add(settled);
    return sending;
  }

  override async close(): Promise<void> {
    const last = Promise.allSettled([...this.#leaving]).then(() => this.terminateSession());
    await Promise.race([last.catch(() => {}), delay(LAST_MESSAGES_MS, undefined, { ref: false })]);
    await super.close();
  }

  /** Answers a request with an error. The SDK drops the error if the request has its response already. */
  #breakOff(id: string | number): void {
    this.onmessage?.({ jsonrpc: "2.0", id, error: { code: -32_000, message: STREAM_ENDED } });
  }
}

const requestSchema = z.object({ id: z.union([z.string(), z.number()]), method: z.string() });

/** The id of the request in the body of an HTTP request; undefined for a notification, and for no body. */
function requestOf(body: unknown): string | number | undefined {
  return typeof body === "string" ? requestSchema.safeParse(JSON.parse(body)).data?.id : undefined;
}

/**
 * Calls `onEnd` a moment after a stream of events has ended. It is not called for a stream with ids, which the SDK
 * resumes.
 */
function watch(response: Response, onEnd: () => void): Response {
  if (response.body === null || !response.headers.get("content-type")?.startsWith("text/event-stream")) return response;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let canResume = false;
  const end = () => {
    if (!canResume) setTimeout(onEnd, 100);
  };
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          end();
          return controller.close();
        }
        canResume ||= /^id:/m.test(decoder.decode(value, { stream: true }));
        controller.enqueue(value);
      } catch (error) {
        end();
        controller.error(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(body, response);
}
