import { text } from "node:stream/consumers";
import { z } from "zod";
import { startLocalServer } from "./local-server.js";

/** A response of a model's server, byte for byte. */
export interface WireResponse {
  readonly status?: number;
  /** The content type. Default: an event stream if the body begins like one, else JSON. */
  readonly type?: string;
  readonly body: string;
  /** Text that is sent before the body, some time earlier. */
  readonly before?: string;
  /** Destroys the connection after the body. Without a body no byte is sent. */
  readonly cut?: boolean;
  /** Keeps the connection open after the body, and says nothing more. Without a body no byte is sent. */
  readonly silent?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface WireServer extends AsyncDisposable {
  /** The base URL to give to a client. It ends in `/v1`. */
  readonly url: string;
  /** The requests as they arrived: whether they had tools and wanted a stream, and the text of their last message. */
  readonly requests: readonly WireRequest[];
}

const requestSchema = z.object({
  tools: z.array(z.unknown()).optional(),
  stream: z.boolean().default(false),
  messages: z.array(z.object({ content: z.unknown() })),
});
export type WireRequest = z.infer<typeof requestSchema>;

/**
 * Starts a real HTTP server on 127.0.0.1 that answers with these responses, in order. A request too many gets the last
 * one.
 */
export async function startWireServer(responses: readonly WireResponse[]): Promise<WireServer> {
  const requests: WireRequest[] = [];
  const server = await startLocalServer(async (request, response) => {
    requests.push(requestSchema.parse(JSON.parse(await text(request))));
    const reply = responses[requests.length - 1] ?? responses.at(-1) ?? none;
    const { status = 200, body, cut, silent, type = typeOf(body), headers, before } = reply;
    if (body === "" && silent) return;
    if (body === "" && cut) {
      response.destroy();
      return;
    }
    response.writeHead(status, { "content-type": type, ...headers });
    if (before !== undefined) {
      response.write(before);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    if (cut) response.write(body, () => response.destroy());
    else if (silent) response.write(body);
    else response.end(body);
  });
  return { ...server, url: `${server.origin}/v1`, requests };
}

const none: WireResponse = { status: 500, body: "" };

function typeOf(body: string): string {
  return /^(?:data:|:)/.test(body) ? "text/event-stream" : "application/json";
}

/** A chunk of a streamed reply. */
export function chunk(delta: Record<string, unknown>, finish_reason: string | null = null): string {
  const frame = { id: "1", object: "chat.completion.chunk", created: 1, model: "m" };
  return `data: ${JSON.stringify({ ...frame, choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
}

/** A whole streamed reply. */
export function streamed(content: string, finishReason = "stop"): WireResponse {
  return { body: `${chunk({ role: "assistant", content })}${chunk({}, finishReason)}data: [DONE]\n\n` };
}

/** A whole reply as JSON. */
export function whole(message: Record<string, unknown>, finish_reason = "stop"): WireResponse {
  const usage = { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 };
  const choices = [{ index: 0, message: { role: "assistant", ...message }, finish_reason }];
  return { body: JSON.stringify({ id: "1", object: "chat.completion", created: 1, model: "m", choices, usage }) };
}
