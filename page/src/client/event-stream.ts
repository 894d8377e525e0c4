import { createParser, type EventSourceMessage } from "eventsource-parser";
import type { Connection } from "./connection.js";
import { ServerError } from "./server-error.js";

/** Opens a stream after an event, by its id. */
export type OpenStream = (after: string | undefined, signal: AbortSignal) => Promise<Response>;

/** The server gives a sign of life every 15 seconds. A connection that has none for longer is dead. */
const SILENCE_MS = 40_000;

/**
 * Reads server-sent events until its signal aborts. A stream that breaks is opened again, after the last event that came.
 *
 * @throws ServerError if the server refuses the stream
 */
export async function* readEvents(
  open: OpenStream,
  connection: Connection,
  signal: AbortSignal,
  after?: string,
): AsyncGenerator<EventSourceMessage> {
  const stream = {};
  let last = after;
  for (let failures = 0; !signal.aborted; ) {
    const life = new Life(signal);
    try {
      const response = await open(last, life.signal);
      connection.answered(stream);
      for await (const event of eventsIn(response, life)) {
        failures = 0;
        last = event.id || last;
        yield event;
      }
    } catch (error) {
      if (error instanceof ServerError && error.status < 500 && error.status !== 429) throw error;
    } finally {
      life.end();
    }
    failures += 1;
    await connection.wait(stream, failures, signal);
  }
}

async function* eventsIn({ body }: Response, life: Life): AsyncGenerator<EventSourceMessage> {
  const events: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => void events.push(event) });
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
    life.sign();
    parser.feed(piece.value);
    yield* events.splice(0);
  }
}

/** Whether a connection gives signs of life. Its signal aborts when there are none, when others end it, and at its end. */
class Life {
  readonly #end = new AbortController();
  readonly signal: AbortSignal;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(signal: AbortSignal) {
    this.signal = AbortSignal.any([signal, this.#end.signal]);
    this.sign();
  }

  sign(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end.abort(), SILENCE_MS);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#end.abort();
  }
}
