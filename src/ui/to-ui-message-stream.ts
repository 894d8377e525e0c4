import { failure, type TurnEvent } from "../core/run/events.js";
import type { TurnChunk } from "./turn-chunk.js";
import { TurnChunks } from "./turn-chunks.js";

/**
 * Turns the events of a turn into the AI SDK's UI message stream, which `useChat` reads. `docs/web.md` shows a route, and lists
 * what becomes of which event. A chunk is made when it is read. To cancel the stream is to leave the turn, which then stops.
 *
 * @param events The events of one turn, such as those of `streamTurn`.
 * @returns The stream, for `createUIMessageStreamResponse` of the package `ai`. The stream never fails: an error becomes a
 *   chunk, with its message if the error is one of Glassloop's.
 * @example
 * const events = streamTurn(agent, toTurnInput(messages), { configurable: { thread_id: id } });
 * return createUIMessageStreamResponse({ stream: toUIMessageStream(events) });
 */
export function toUIMessageStream(events: AsyncIterable<TurnEvent>): ReadableStream<TurnChunk> {
  const iterator = events[Symbol.asyncIterator]();
  const chunks = chunksOf({ [Symbol.asyncIterator]: () => iterator });
  return new ReadableStream<TurnChunk>(
    {
      // After a cancel the stream takes no chunk, and ignores the error of this.
      pull: async (controller) => {
        const { value, done } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      // A generator that waits would notice the end only at its next event. So the turn is aborted.
      cancel: async () => void (await iterator.return?.()),
    },
    { highWaterMark: 0 },
  );
}

async function* chunksOf(events: AsyncIterable<TurnEvent>): AsyncGenerator<TurnChunk, undefined> {
  const turn = new TurnChunks();
  let isEnded = false;
  try {
    for await (const event of events) {
      // `streamTurn` tells the error or the abort of its turn, and then throws it.
      isEnded ||= event.path.length === 0 && (event.type === "turn-end" || event.type === "error");
      yield* turn.of(event);
    }
  } catch (error) {
    if (!isEnded) yield* turn.fail(failure(error));
  }
}
