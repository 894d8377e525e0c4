import { createServer, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { z } from "zod";

/** The body of a request, as far as all providers have the same. */
export const requestSchema = z.looseObject({ model: z.string().default("m"), stream: z.boolean().default(false) });
export type ProviderRequest = z.infer<typeof requestSchema>;

/** A model provider's API: its rules for conversations, and how it writes a reply. */
export interface Provider<Reply> {
  /** The content type of its streams. */
  readonly streamType: string;
  streams(body: ProviderRequest, url: string): boolean;
  /**
   * Checks a conversation as the provider does.
   *
   * @throws Refusal with the provider's words.
   */
  check(body: ProviderRequest): void;
  whole(reply: Reply, body: ProviderRequest): unknown;
  /** Yields the pieces of a streamed reply. */
  stream(reply: Reply, body: ProviderRequest): Iterable<string>;
  error(message: string): unknown;
}

/** A provider's refusal of a request: its status is 400. */
export class Refusal extends Error {}

export function refuse(message: string): never {
  throw new Refusal(message);
}

export interface ProviderServer extends AsyncDisposable {
  /** The address of the server, without a path. */
  readonly url: string;
  /** The bodies of the requests, as they arrived. */
  readonly requests: readonly ProviderRequest[];
  /** Tells of each request that got a reply whether it asked for a stream. */
  readonly streamed: readonly boolean[];
  /** The words with which requests were refused. */
  readonly refusals: readonly string[];
}

/** A failure in place of a reply. */
export interface ServedFailure {
  readonly status: number;
}

/** A streamed reply whose pieces a test changes before they are sent. */
export interface Altered<Reply> {
  readonly reply: Reply;
  alter(pieces: readonly string[]): readonly string[];
}

/**
 * Starts a real HTTP server on 127.0.0.1 that keeps a provider's rules and answers from a script. A request that breaks a
 * rule gets a 400 and takes no reply. A request too many gets a 500.
 */
export async function startProvider<Reply extends object>(
  provider: Provider<Reply>,
  replies: readonly (Reply | ServedFailure | Altered<Reply>)[],
): Promise<ProviderServer> {
  const requests: ProviderRequest[] = [];
  const streamed: boolean[] = [];
  const refusals: string[] = [];
  let given = 0;

  function answer(body: ProviderRequest, url: string, response: ServerResponse): void {
    provider.check(body);
    const reply = replies[given++];
    if (reply === undefined) throw new Error(`The script has ${replies.length} replies, and this is request ${given}.`);
    streamed.push(provider.streams(body, url));
    if (isFailure(reply)) send(response, reply.status, provider.error("The server had an error."));
    else if ("alter" in reply)
      sendStream(response, provider.streamType, reply.alter([...provider.stream(reply.reply, body)]));
    else if (provider.streams(body, url)) sendStream(response, provider.streamType, provider.stream(reply, body));
    else send(response, 200, provider.whole(reply, body));
  }

  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const body = requestSchema.parse(JSON.parse(await text(request)));
    requests.push(body);
    try {
      answer(body, request.url ?? "", response);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      refusals.push(message);
      send(response, error instanceof Refusal ? 400 : 500, provider.error(message));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    streamed,
    refusals,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function isFailure(reply: object): reply is ServedFailure {
  return "status" in reply && typeof reply.status === "number";
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

function sendStream(response: ServerResponse, type: string, pieces: Iterable<string>): void {
  response.writeHead(200, { "content-type": type });
  for (const piece of pieces) response.write(piece);
  response.end();
}

/** An event of a stream of server-sent events. */
export function sent(data: unknown, event?: string): string {
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** A text in two pieces, as a stream may cut it. */
export function halves(text: string): [string, string] {
  const middle = text.length >> 1;
  return [text.slice(0, middle), text.slice(middle)];
}
