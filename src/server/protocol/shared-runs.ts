import { hasCode } from "../../base/errors.js";
import type { Run, RunEngine, RunEvent } from "../engine/run-engine.js";
import { Waiters } from "../engine/waiters.js";
import { Projection } from "./projection.js";
import type { ProtocolEvent } from "./protocol-event.js";

/** An event, and its JSON. */
interface WrittenEvent {
  readonly event: ProtocolEvent;
  readonly json: string;
}

/** The characters of a run's newest events that are kept for its readers. A reader that lacks older ones makes them itself. */
const MOST_CHARACTERS = 1_000_000;

/** The events of runs in version 2 of the protocol. The readers of a run that goes on share them. */
export class SharedRuns {
  readonly #runs = new Map<string, SharedRun>();

  constructor(private readonly engine: RunEngine) {}

  /** Reads the events of a run from its beginning, and waits for further ones until it has ended. @throws As the engine's `stream` */
  async *read(run: Run, signal: AbortSignal): AsyncGenerator<WrittenEvent> {
    const shared = this.#runs.get(run.id) ?? new SharedRun(this.engine, run, () => this.#runs.delete(run.id));
    this.#runs.set(run.id, shared);
    let position = 0;
    for await (const event of shared.read(signal)) {
      position += 1;
      yield event;
    }
    if (shared.hasEndedAt(position) || signal.aborted) return;
    for await (const event of written(this.engine, run, signal)) {
      position -= 1;
      if (position < 0) yield event;
    }
  }
}

/** The events of one run, for readers that keep up with it. */
class SharedRun {
  #readers = 0;
  readonly #left = new AbortController();
  readonly #waiters = new Waiters();
  #events: WrittenEvent[] = [];
  #dropped = 0;
  #size = 0;
  #hasEnded = false;
  #error: unknown;

  constructor(
    engine: RunEngine,
    run: Run,
    private readonly onLeft: () => void,
  ) {
    this.#gather(written(engine, run, this.#left.signal))
      .catch((error: unknown) => {
        this.#error = error;
      })
      .finally(() => {
        this.#hasEnded = true;
        this.#waiters.call("");
      });
  }

  /** Tells whether the run has no events after a number of them. */
  hasEndedAt(position: number): boolean {
    return this.#hasEnded && position >= this.#dropped + this.#events.length;
  }

  /** Yields the events from the first one, as long as those that come next are kept. */
  async *read(signal: AbortSignal): AsyncGenerator<WrittenEvent> {
    using wait = this.#waiters.wait("");
    this.#readers += 1;
    try {
      for (let position = 0; position >= this.#dropped && !signal.aborted; ) {
        const event = this.#events[position - this.#dropped];
        if (event !== undefined) {
          yield event;
          position += 1;
        } else if (this.#hasEnded) break;
        else await wait.changed(signal);
      }
    } finally {
      this.#readers -= 1;
      if (this.#readers === 0) {
        this.#left.abort();
        this.onLeft();
      }
    }
    if (this.#error !== undefined && !signal.aborted) throw this.#error;
  }

  async #gather(events: AsyncIterable<WrittenEvent>): Promise<void> {
    for await (const event of events) {
      this.#events.push(event);
      this.#size += event.json.length;
      while (this.#size > MOST_CHARACTERS) {
        this.#size -= this.#events.shift()?.json.length ?? 0;
        this.#dropped += 1;
      }
      this.#waiters.call("");
    }
  }
}

async function* written(engine: RunEngine, run: Run, signal: AbortSignal): AsyncGenerator<WrittenEvent> {
  for await (const event of made(engine, run, signal)) yield { event, json: JSON.stringify(event) };
}

async function* made(engine: RunEngine, run: Run, signal: AbortSignal): AsyncGenerator<ProtocolEvent> {
  const projection = new Projection(run);
  for await (const event of untilUndone(engine.stream(run.id, 0, signal))) yield* projection.of(event);
  if (!signal.aborted) yield* projection.end(await engine.get(run.id));
}

/** Passes the events of a run on. A run that is undone just has no more of them. */
export async function* untilUndone(events: AsyncIterable<RunEvent>): AsyncGenerator<RunEvent> {
  try {
    yield* events;
  } catch (error) {
    if (!hasCode(error, "run-not-found")) throw error;
  }
}
