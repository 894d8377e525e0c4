import { z } from "zod";
import { hasMethods } from "../base/options.js";
import { isAskedByAgent, kindOfModel, perModel } from "../langgraph/chat-models.js";
import { withoutError } from "./event-stream.js";
import { readEvents } from "./readable-fetch.js";

/**
 * Lets an agent see what the package of a model drops of a stream: errors, a last event that only says why the reply ended, and the
 * reason of a blocked prompt. Calls of everybody else stay as they are.
 */
export const showWhole = perModel((model) => {
  if (typeof model !== "object" || model === null) return;
  const kind = kindOfModel(model);
  if (kind === "mistral_ai") readMistral(model);
  if (kind === "groq") tap(model, "completionWithRetry", (stream) => mapped(stream, withoutError));
  const client: unknown = Reflect.get(model, "client");
  if (kind === "ollama") tap(client, "chat", withBodies);
  if (kind !== "googlegenerativeai") return;
  tap(client, "generateContent", ({ response, ...sent }: Sent) => ({ ...sent, response: withCandidate(response) }));
  tap(client, "generateContentStream", ({ stream, ...sent }: Sent) => ({
    ...sent,
    stream: mapped(stream, withCandidate),
  }));
});

interface Sent {
  readonly response?: unknown;
  readonly stream?: unknown;
}

/** Changes what a method returns to an agent. */
function tap<Result>(owner: unknown, method: string, change: (result: Result) => unknown): void {
  if (!hasMethods(owner, [method])) return;
  const send: (...request: unknown[]) => Promise<Result> = Reflect.get(owner, method);
  Reflect.set(owner, method, async (...request: unknown[]) => {
    const isOurs = isAskedByAgent();
    const result = await send.apply(owner, request);
    return isOurs ? change(result) : result;
  });
}

const streamSchema = z.custom<AsyncIterable<unknown>>(
  (value) => typeof value === "object" && value !== null && Symbol.asyncIterator in value,
);

/** Changes the events of a stream. A whole reply stays as it is. */
function mapped(result: unknown, change: (event: unknown) => unknown): unknown {
  const { data: events } = streamSchema.safeParse(result);
  return events ? changed(events, change) : result;
}

async function* changed(events: AsyncIterable<unknown>, change: (event: unknown) => unknown) {
  for await (const event of events) yield change(event);
}

/**
 * Gives the errors in a stream of Ollama's client a body. The client throws the words of its server, and the end of a stream that
 * broke off, as an error like that of any program.
 */
async function* withBodies(events: AsyncIterable<unknown>) {
  try {
    yield* events;
  } catch (error) {
    throw error instanceof Error && error.name === "Error" ? Object.assign(error, { error: error.message }) : error;
  }
}

const httpClientSchema = z.custom<{ request(request: Request): Promise<Response> }>((value) =>
  hasMethods(value, ["request"]),
);

/** Mistral's client takes another one for HTTP, and refuses every event that is no piece of a reply without its words. */
function readMistral(model: object): void {
  const { data: own } = httpClientSchema.safeParse(Reflect.get(model, "httpClient"));
  const request = async (sent: Request) => {
    const response = await (own ? own.request(sent) : fetch(sent));
    return isAskedByAgent() ? readEvents(response) : response;
  };
  Reflect.set(model, "httpClient", { request });
}

const responseSchema = z.looseObject({
  candidates: z.array(z.looseObject({ content: z.unknown().optional() })).default([]),
  promptFeedback: z.looseObject({ blockReason: z.string() }).optional().catch(undefined),
});

/** Gemini's package drops a candidate without content, and a blocked prompt, which has no candidate. */
function withCandidate(event: unknown): unknown {
  const { candidates, promptFeedback, ...response } = responseSchema.parse(withoutError(event));
  const blocked = promptFeedback ? [{ finishReason: `PROMPT_BLOCKED: ${promptFeedback.blockReason}` }] : [];
  const content = { role: "model", parts: [] };
  const shown = (candidates.length > 0 ? candidates : blocked).map((candidate) => ({ content, ...candidate }));
  return { ...response, promptFeedback, candidates: shown };
}
