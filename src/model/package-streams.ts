import { z } from "zod";
import { hasMethods } from "../base/options.js";
import { isAskedByAgent, kindOfModel, perModel } from "../langgraph/chat-models.js";
import { errorIn } from "./event-stream.js";

/**
 * Lets the package of a model show what it drops of a stream: the last event if it only says why the reply ended, the reason of a
 * blocked prompt, and errors. Only the calls of agents are changed.
 */
export const showEnds = perModel((model) => {
  if (typeof model !== "object" || model === null) return;
  const kind = kindOfModel(model);
  if (kind === "mistral_ai") tap(model, "completionWithRetry", (stream) => mapped(stream, withDelta));
  if (kind === "groq") tap(model, "completionWithRetry", (stream) => mapped(stream, withoutError));
  const client: unknown = Reflect.get(model, "client");
  if (kind === "ollama") tap(client, "chat", withBodies);
  if (kind !== "googlegenerativeai") return;
  tap(client, "generateContent", ({ response }: Whole) => ({ response: withCandidate(response) }));
  tap(client, "generateContentStream", (sent: Streamed) => ({ ...sent, stream: mapped(sent.stream, withCandidate) }));
});

interface Whole {
  readonly response: unknown;
}

interface Streamed {
  readonly stream: unknown;
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

function withoutError(event: unknown): unknown {
  const error = errorIn(event);
  if (error !== undefined) throw Object.assign(new Error("The server sent an error."), { error });
  return event;
}

const deltaSchema = z.looseObject({ toolCalls: z.array(z.unknown()).nullish() });
const completionSchema = z.looseObject({
  data: z.looseObject({
    choices: z.array(z.looseObject({ finishReason: z.string(), delta: deltaSchema })),
  }),
});

/** Mistral's package drops an event without text and calls. With an empty list of calls it does not. */
function withDelta(event: unknown): unknown {
  const { data } = completionSchema.safeParse(event);
  if (data === undefined) return event;
  const choices = data.data.choices.map(({ delta, ...choice }) => ({
    ...choice,
    delta: { ...delta, toolCalls: delta.toolCalls ?? [] },
  }));
  return { ...data, data: { ...data.data, choices } };
}

const responseSchema = z.looseObject({
  candidates: z.array(z.looseObject({ content: z.unknown().optional() })).optional(),
  promptFeedback: z.looseObject({ blockReason: z.string() }).optional().catch(undefined),
});

/** Gemini's package drops a candidate without content, and a blocked prompt, which has no candidate. */
function withCandidate(event: unknown): unknown {
  const { candidates = [], promptFeedback, ...response } = responseSchema.parse(withoutError(event));
  const blocked = promptFeedback ? [{ index: 0, finishReason: `PROMPT_BLOCKED: ${promptFeedback.blockReason}` }] : [];
  const shown = [...candidates, ...(candidates.length === 0 ? blocked : [])];
  const content = { role: "model", parts: [] };
  return { ...response, promptFeedback, candidates: shown.map((candidate) => ({ content, ...candidate })) };
}
