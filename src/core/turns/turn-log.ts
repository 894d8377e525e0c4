import type { Agent } from "../agent.js";
import type { TurnEvent } from "../run/events.js";
import { keeperOf } from "../run/keeper.js";

/** The events of a run. Each reader gets all of them, at its own speed. */
export class TurnLog {
  readonly #events: TurnEvent[] = [];
  readonly #waiting: (() => void)[] = [];
  #end: { readonly error?: unknown } | undefined;

  /** Adds an event. A node that winds down after an abort may tell something later than the end: it is left out. */
  add(event: TurnEvent): void {
    if (this.#end !== undefined) return;
    this.#events.push(event);
    this.#wakeReaders();
  }

  /** Ends the log. @param failure The error of the run, which each reader gets after the events. */
  end(failure: { readonly error?: unknown } = {}): void {
    this.#end = failure;
    this.#wakeReaders();
  }

  /** Yields the events from the beginning, and then those to come. */
  async *read(): AsyncGenerator<TurnEvent> {
    for (let n = 0; ; ) {
      const event = this.#events[n];
      if (event !== undefined) {
        n += 1;
        yield event;
      } else if (this.#end === undefined) {
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      } else {
        if ("error" in this.#end) throw this.#end.error;
        return;
      }
    }
  }

  #wakeReaders(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

/** The logs of the runs of this process, by the place of their threads and the id of the thread. */
const logs = new WeakMap<object, Map<string, TurnLog[]>>();

/** The runs on one thread in this process. A run that waits for the thread comes after the one that has it. */
export class ThreadLogs {
  readonly #byThread: Map<string, TurnLog[]>;

  constructor(
    { checkpointer }: Pick<Agent, "checkpointer">,
    private readonly thread: unknown,
  ) {
    // Several agents may use a database, each with a checkpointer of its own.
    const place = keeperOf(checkpointer)?.place ?? checkpointer;
    const isKept = typeof place === "object" && typeof thread === "string";
    this.#byThread = (isKept && logs.get(place)) || new Map();
    if (isKept) logs.set(place, this.#byThread);
  }

  /** The log of the run at work; undefined if there is none. */
  get current(): TurnLog | undefined {
    return this.#byThread.get(String(this.thread))?.[0];
  }

  add(log: TurnLog): void {
    this.#byThread.set(String(this.thread), [...(this.#byThread.get(String(this.thread)) ?? []), log]);
  }

  delete(log: TurnLog): void {
    const left = this.#byThread.get(String(this.thread))?.filter((other) => other !== log) ?? [];
    if (left.length > 0) this.#byThread.set(String(this.thread), left);
    else this.#byThread.delete(String(this.thread));
  }
}
