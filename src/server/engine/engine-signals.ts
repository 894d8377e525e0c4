import type { Listening } from "../../threads/runs/index.js";
import { type Wait, Waiters } from "./waiters.js";

/** The times of signals, in milliseconds. */
const WATCHED = 3_000;
const ANNOUNCED = 1_000;

/** What an engine does at a signal of another one. */
interface SignalActions {
  /** There are runs to take. */
  work(): void;
  /** Runs of this engine may have to be stopped. */
  stop(): void;
}

/**
 * What the engines on one database tell one another, with ids only: the rows say what is so. A signal can get lost, and a
 * database without signals has none, so everything is also looked for from time to time.
 *
 * `work` and `stop` are for all. `read ID` says that somebody reads a run on another engine. The engine that has this run
 * then says `events ID` each time it has stored some. `arrived THREAD` says that a thread has a further run.
 */
export class EngineSignals {
  /** The runs that are read elsewhere, and until when that is believed. The first to be forgotten are the first. */
  readonly #watched = new Map<string, number>();
  /** Those who wait here for events of a run, and for runs of a thread. */
  readonly runs = new Waiters();
  readonly threads = new Waiters();
  readonly #leave: (() => void) | undefined;

  /** @param pollMs The time between two looks without signals. */
  constructor(
    private readonly signals: Listening | undefined,
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

  /** Tells that there is a run on a thread that was not there before. */
  arrived(thread: string): void {
    this.threads.call(thread);
    this.signals?.send(`arrived ${thread}`);
  }

  /** Begins to wait for events of a run that another engine has. The wait also ends from time to time. */
  events(run: string): Wait {
    const wait = this.runs.wait(run);
    let announcedAt = Number.NEGATIVE_INFINITY;
    return {
      changed: async (signal) => {
        if (performance.now() - announcedAt >= ANNOUNCED) {
          announcedAt = performance.now();
          this.signals?.send(`read ${run}`);
        }
        const patience = new AbortController();
        const timer = setTimeout(() => patience.abort(), this.signals ? ANNOUNCED : this.pollMs);
        await wait.changed(AbortSignal.any([patience.signal, ...(signal ? [signal] : [])]));
        clearTimeout(timer);
      },
      [Symbol.dispose]: () => wait[Symbol.dispose](),
    };
  }

  /** Hears nothing more. */
  close(): void {
    this.#leave?.();
  }

  #hear(text: string): void {
    const [, kind, id = ""] = /^(\w+) ?(.*)$/s.exec(text) ?? [];
    if (kind === "work") this.actions.work();
    if (kind === "stop") this.actions.stop();
    if (kind === "read") this.#watch(id);
    if (kind === "events") this.runs.call(id);
    if (kind === "arrived") this.threads.call(id);
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
