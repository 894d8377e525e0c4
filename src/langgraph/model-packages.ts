import { z } from "zod";
import { hasMethods } from "../base/options.js";

// What the packages of two providers do inside. docs/providers.md names their versions.

type SendStream = (...request: unknown[]) => Promise<{ readonly response: Promise<unknown> }>;
const streamerSchema = z.object({
  client: z.custom<{ generateContentStream: SendStream }>((value) => hasMethods(value, ["generateContentStream"])),
});

/**
 * Keeps a stream that breaks off from ending the process. Gemini's client returns a promise of the whole reply beside each
 * stream. LangChain's package drops that promise, so its rejection is unhandled.
 */
export function hearDroppedPromise(model: unknown): void {
  const { data } = streamerSchema.safeParse(model);
  if (data === undefined) return;
  const { client } = data;
  const send = client.generateContentStream;
  client.generateContentStream = async (...request) => {
    const streamed = await send.apply(client, request);
    streamed.response.catch(() => undefined);
    return streamed;
  };
}

/**
 * Takes the retries of its own from a model in some calls. Mistral's package makes a caller for each request, with the
 * `maxRetries` that the model has then.
 *
 * @param isAskedOnce Tells whether the call at work is such a call.
 */
export function dropOwnRetries(model: unknown, isAskedOnce: () => boolean): void {
  if (typeof model !== "object" || model === null || !Object.hasOwn(model, "maxRetries")) return;
  let own: unknown = Reflect.get(model, "maxRetries");
  Object.defineProperty(model, "maxRetries", {
    get: () => (isAskedOnce() ? 0 : own),
    set: (other: unknown) => {
      own = other;
    },
  });
}
