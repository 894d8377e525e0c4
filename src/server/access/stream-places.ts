import type { MiddlewareHandler } from "hono";
import { RequestError } from "../wire/request-error.js";

/** The places for responses that stay open until a run has ended. */
export class StreamPlaces {
  #open = 0;

  constructor(private readonly most: number) {}

  get open(): number {
    return this.#open;
  }

  /** Takes a place. Returns the function that gives it back. @throws RequestError 503 */
  take(): () => void {
    if (this.#open >= this.most) throw new RequestError(503, `${this.most} streams are open. Try again later.`);
    this.#open += 1;
    let isTaken = true;
    return () => {
      this.#open -= isTaken ? 1 : 0;
      isTaken = false;
    };
  }
}

/** Returns the limit of open streams. A request above it is refused before its run is made. */
export function limitStreams(places: StreamPlaces): MiddlewareHandler {
  return async (context, next) => {
    if (!/\/(?:stream|stream\/events|wait|join|glassloop\/changes)$/.test(context.req.path)) return next();
    // Nothing would read the events, and the place would be taken for ever.
    if (context.req.method === "HEAD") throw new RequestError(404, "A stream of events has no HEAD: send a GET.");
    const release = places.take();
    await next();
    const { body } = context.res;
    if (body === null || context.res.status !== 200) release();
    else context.res = new Response(passedOn(body, release), context.res);
  };
}

/** Passes a stream on, and calls a function at its end, or when its reader has left. */
function passedOn(body: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        onEnd();
        throw error;
      });
      if (value !== undefined) controller.enqueue(value);
      if (!done) return;
      onEnd();
      controller.close();
    },
    cancel(reason) {
      onEnd();
      return reader.cancel(reason);
    },
  });
}
