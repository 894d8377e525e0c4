import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { MissingApiKeyError, type ModelErrorKind } from "../base/errors.js";
import { modelErrorKind, retryAfterMs, toModelError } from "./model-errors.js";
import { readableSettings } from "./readable-fetch.js";
import { noteFailedTry } from "./retries.js";

export interface OpenAIModelOptions {
  /** The API key. If left out, LangChain reads OPENAI_API_KEY from the environment of the process. */
  readonly apiKey?: string;
  /** The address of an OpenAI-compatible server, usually ending in `/v1`. Default: the address of OpenAI. */
  readonly baseUrl?: string;
  readonly timeoutMs: number;
  readonly maxRetries: number;
}

/**
 * Makes a chat model for OpenAI's chat completions API. It adds two things to `ChatOpenAI`. A stream that stalls has a
 * time-out. A 429 without a `retry-after` header is tried again.
 *
 * @throws {MissingApiKeyError} when there is neither a key nor a base URL.
 */
export async function openaiModel(name: string, options: OpenAIModelOptions): Promise<BaseChatModel> {
  const { ChatOpenAI } = await import("@langchain/openai");
  const make = (apiKey: string | undefined) =>
    new ChatOpenAI({
      model: name,
      apiKey,
      timeout: options.timeoutMs,
      maxRetries: options.maxRetries,
      onFailedAttempt: (error) => throwUnlessRetryable(error, options.maxRetries),
      configuration: readableSettings({ baseURL: options.baseUrl, fetch: fetchWithin(options.timeoutMs) }),
    });
  const model = make(options.apiKey);
  if (model.apiKey !== undefined) return model;
  if (options.baseUrl === undefined) throw new MissingApiKeyError("openai", "OPENAI_API_KEY");
  return make("none");
}

const retryable: ReadonlySet<ModelErrorKind | undefined> = new Set(["rate-limit", "server", "timeout", "interrupted"]);
const longestWaitMs = 30_000;

/**
 * Ends LangChain's retries by throwing. Otherwise it sets `retryAfterMs` on the error: LangChain then waits so long.
 * LangChain calls this function after each failed try.
 */
function throwUnlessRetryable(error: unknown, maxRetries: number): void {
  const wait = retryAfterMs(error) ?? 0;
  if (!retryable.has(modelErrorKind(error)) || wait > longestWaitMs) throw error;
  if (error instanceof Error) Object.assign(error, { retryAfterMs: wait });
  noteFailedTry(whyTriedAgain(error), maxRetries, wait);
}

/** Describes the failure of a try in words. */
function whyTriedAgain(error: unknown): string {
  const described = toModelError(error);
  return described instanceof Error ? described.message : String(described);
}

/**
 * Makes a `fetch` with a time limit for each pause in the response body. The client's own time-out ends with the
 * headers.
 */
function fetchWithin(idleMs: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    return response.body === null ? response : new Response(withIdleLimit(response.body, idleMs), response);
  };
}

function withIdleLimit(body: ReadableStream<Uint8Array>, idleMs: number): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await within(reader.read(), idleMs, () => void reader.cancel());
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

async function within<T>(work: Promise<T>, ms: number, giveUp: () => void): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new DOMException(`Nothing came for ${ms} ms.`, "TimeoutError"));
      giveUp();
    }, ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
