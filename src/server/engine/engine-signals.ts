import { setTimeout as sleep } from "node:timers/promises";
import type { DatabaseSignals } from "../../threads/databases/database.js";

/** The times of signals, in milliseconds. */
const WATCHED = 3_000;
const ANNOUNCED = 1_000;

/** What an engine does at a signal of another one. */
export interface SignalActions {
  /** There are runs to take. */
  work(): void;
  /** Runs of this engine may have to be stopped. */
  stop(): void;
}

/** What waits for events of a run that another engine has. */
export interface EventsElsewhere extends Disposable {
  /** Waits until there may be further events since the last call. */
  changed(signal?: AbortSignal): Promise<void>;
}

/**
 * What the engines on one database tell one another, with ids only: the rows say what is so. A signal can get lost, and a
 * database without signals has none, so everything is also looked for from time to time.
 *
 * `work` and `stop` are for all. `read ID` says that somebody reads a run on another engine. The engine that has this run
 * then says `events ID` each time it has stored some.
 */
export class EngineSignals {
  /** The runs that are read elsewhere, and until when that is believed. The first to be forgotten are the first. */
  readonly #watched = new Map<string, number>();
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #leave: (() => void) | undefined;

  /** @param pollMs The time between two looks without signals. */
  constructor(
    private readonly signals: DatabaseSignals | undefined,
    private readonly pollMs: number,
    private readonly actions: SignalActions,
  ) {
    this.#leave = signals?.hear((text) => this.#hear(text));
  }

  /** Tells that there are runs to take. */
  work(): void {
    this.signals?.send("work");
  }

  /** Tells that runs have to be stopped. */
  stop(): void {
    this.signals?.send("stop");
  }

  /** Tells that events of a run are stored, if it is read elsewhere. */
  stored(run: string): void {
    if ((this.#watched.get(run) ?? 0) > performance.now()) this.signals?.send(`events ${run}`);
  }

  /** Begins to wait for events of a run that another engine has. */
  events(run: string): EventsElsewhere {
    const waiting = this.#waiting.get(run) ?? new Set();
    this.#waiting.set(run, waiting);
    let hasChanged = false;
    let wake = () => {};
    const heard = () => {
      hasChanged = true;
      wake();
    };
    waiting.add(heard);
    let announcedAt = Number.NEGATIVE_INFINITY;
    return {
      changed: async (signal) => {
        if (performance.now() - announcedAt >= ANNOUNCED) {
          announcedAt = performance.now();
          this.signals?.send(`read ${run}`);
        }
        const patience = new AbortController();
        const late = sleep(this.signals ? ANNOUNCED : this.pollMs, undefined, {
          signal: AbortSignal.any([patience.signal, ...(signal ? [signal] : [])]),
        });
        const changed = new Promise<void>((resolve) => {
          wake = resolve;
          if (hasChanged) resolve();
        });
        await Promise.race([changed, late]).catch(() => undefined);
        patience.abort();
        late.catch(() => undefined);
        hasChanged = false;
      },
      [Symbol.dispose]: () => {
        waiting.delete(heard);
        if (waiting.size === 0) this.#waiting.delete(run);
      },
    };
  }

  /** Wakes those who wait here for events of a run. */
  wake(run: string): void {
    for (const heard of this.#waiting.get(run) ?? []) heard();
  }

  /** Hears nothing more. */
  close(): void {
    this.#leave?.();
  }

  #hear(text: string): void {
    const [kind, run = ""] = text.split(" ");
    if (kind === "work") this.actions.work();
    if (kind === "stop") this.actions.stop();
    if (kind === "read") this.#watch(run);
    if (kind === "events") this.wake(run);
  }

  #watch(run: string): void {
    const now = performance.now();
    for (const [known, until] of this.#watched) {
      if (until > now) break;
      this.#watched.delete(known);
    }
    const isNew = !this.#watched.delete(run);
    this.#watched.set(run, now + WATCHED);
    // The reader may lack what was stored before this engine heard of it.
    if (isNew) this.stored(run);
  }
}
