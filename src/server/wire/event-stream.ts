import type { Context } from "hono";
import { streamSSE } from "hono/streaming";
import { hasCode, ThreadsDatabaseError } from "../../base/errors.js";
import { errorForm } from "./error-response.js";

/** The time between two signs of life on a stream, in milliseconds. Proxies close connections that are silent for longer. */
const HEARTBEAT_MS = 15_000;

/** An event as it is sent. A reader that comes back names the id of the last one; an event without an id cannot be named. */
export interface SentEvent {
  readonly event: string;
  readonly json: string;
  readonly id: string;
}

/**
 * Answers with the events of a run as server-sent events, until the run or the reader ends.
 *
 * @param events Reads the events. Its signal aborts if the reader is gone.
 * @param onEnd Called at the end, with whether the reader left before it.
 */
export function eventStream(
  context: Context,
  events: (signal: AbortSignal) => AsyncIterable<SentEvent>,
  onEnd: (hasLeft: boolean) => void,
): Response {
  const response = streamSSE(context, async (stream) => {
    const reader = new AbortController();
    stream.onAbort(() => reader.abort());
    const heartbeat = setInterval(() => void stream.write(": heartbeat\n\n"), HEARTBEAT_MS);
    try {
      // The response begins before there is an event.
      await stream.write(": stream\n\n");
      for await (const { event, json, id } of events(reader.signal)) {
        await stream.writeSSE({ event, data: json, ...(id && { id }) });
      }
      // The SDK asks whether the run has ended if it does not read this.
      await stream.writeSSE({ event: "end", data: "null" });
    } catch (error) {
      // Clients come back to a run whose stream just ends, but not after an error. The run may still go on.
      const goesOn = hasCode(error, "server-closing") || error instanceof ThreadsDatabaseError;
      if (!reader.signal.aborted && !goesOn) {
        await stream.writeSSE({ event: "error", data: JSON.stringify(errorForm(error)) });
      }
    } finally {
      clearInterval(heartbeat);
      onEnd(reader.signal.aborted);
    }
  });
  // Proxies would hold events back: to send them together, or to compress them.
  response.headers.set("Cache-Control", "no-cache, no-transform");
  response.headers.set("X-Accel-Buffering", "no");
  return response;
}

/** Returns the number of the last event that a reader has, from the header `Last-Event-ID`; undefined if it sent none. */
export function lastNumberOf(context: Context): number | undefined {
  const id = context.req.header("Last-Event-ID");
  return id === undefined || !/^-?\d{1,9}$/.test(id) ? undefined : Number(id);
}
