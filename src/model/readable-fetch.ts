import { parsedJson } from "../base/attempted.js";
import { isRecord } from "../base/is-record.js";
import { errorIn, eventsOf, readableEvents, withRefusal } from "./event-stream.js";
import { statusIn, webPage } from "./server-words.js";

/** The settings of OpenAI's client that are changed here. */
export interface ClientSettings {
  readonly fetch?: typeof fetch | undefined;
  /** The address of the server. */
  readonly baseURL?: string | null | undefined;
}

const made = new WeakSet<object>();

/** Tells whether a client has settings of {@link readableSettings}. */
export function isReadable({ fetch: send }: ClientSettings): boolean {
  return send !== undefined && made.has(send);
}

/**
 * Returns the settings with which OpenAI's client reads all that a server sends. The client logs no errors, because the
 * errors that it throws have the text.
 */
export function readableSettings<Settings extends ClientSettings>(settings: Settings) {
  const readable = readableFetch(settings.fetch);
  made.add(readable);
  const { warn, info, debug } = console;
  return { logger: { error: () => {}, warn, info, debug }, ...settings, fetch: readable };
}

/**
 * Makes a `fetch` for OpenAI's client. The client drops much of what servers say. With this `fetch` it can read:
 *
 * - The words of an error whose body has no key `error`: vLLM, Mistral, `detail` of FastAPI, a bare text.
 * - An error in a reply with the status 200, in whatever field, gets the status that its `code` names.
 * - A JSON reply to a request for a stream becomes a stream.
 * - A refusal becomes the content, with the finish reason `refusal`.
 * - A stream that ends before its reply is complete ends with an error.
 *
 * A web page is refused: the client would read it as an empty reply.
 *
 * @param send The `fetch` that sends the requests.
 */
function readableFetch(send: typeof fetch = fetch): typeof fetch {
  return async (input, init) => {
    const response = await send(input, init);
    if (!response.ok) return withErrorKey(response);
    const type = response.headers.get("content-type") ?? "";
    if (/^text\/html\b/i.test(type)) return refuseWebPage(response);
    const [, api] = /\/(chat\/completions|responses)\b/.exec(String(input)) ?? [];
    if (api === undefined || response.body === null) return response;
    const isStream = typeof init?.body === "string" && /"stream":\s*true/.test(init.body);
    if (api === "responses" || (isStream && eventStream.test(type))) return readEvents(response);
    return isStream ? readUntyped(response) : readWhole(response, false);
  };
}

/** Puts the body of an error under the key `error`, where the client looks for the server's words. */
async function withErrorKey(response: Response): Promise<Response> {
  const text = await response.text();
  const body = parsedJson(text);
  if (body === undefined) return new Response(text, response);
  // Gemini's server sends its error in a list.
  const [only, ...others] = [body].flat();
  const said = others.length === 0 ? only : body;
  const error = isRecord(said) && said.error ? said.error : said;
  return Response.json({ error: typeof error === "string" ? { message: error } : error }, response);
}

async function refuseWebPage(response: Response): Promise<never> {
  await response.body?.cancel();
  throw Object.assign(new Error("The server answered with a web page."), { code: webPage });
}

const eventStream = /^text\/event-stream\b/i;

/** Makes the events of a response readable. A response of another type stays as it is. */
export function readEvents(response: Response): Response {
  if (!eventStream.test(response.headers.get("content-type") ?? "")) return response;
  return streamed(response);
}

function streamed(response: Response): Response {
  return new Response(response.body?.pipeThrough(readableEvents()), response);
}

/** Reads the reply to a request for a stream, if its type does not say that it is one. Its beginning tells. */
async function readUntyped(response: Response): Promise<Response> {
  const [begin, whole] = response.body?.tee() ?? [];
  const reply = new Response(whole, response);
  return begin && (await beginsEvents(begin)) ? streamed(reply) : readWhole(reply, true);
}

async function beginsEvents(body: ReadableStream<Uint8Array>): Promise<boolean> {
  let text = "";
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    text += piece;
    if (text.trim() !== "") break;
  }
  return /^\s*(?:data|event|id|retry)?:/.test(text);
}

/** Reads a reply that came in one piece. */
async function readWhole(response: Response, streams: boolean): Promise<Response> {
  const text = await response.text();
  const body = parsedJson(text);
  const error = errorIn(body);
  if (error && isRecord(body) && body.choices === undefined) {
    return Response.json({ error }, { status: statusIn(error) ?? 500, headers: response.headers });
  }
  const reply = isRecord(body) ? withRefusal(body) : body;
  if (streams) return streamed(new Response(text.trim() === "" ? "" : eventsOf(reply ?? text), response));
  return reply === body ? new Response(text, response) : Response.json(reply, response);
}
