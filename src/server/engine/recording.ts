import { untilAborted } from "../../base/until-aborted.js";
import {
  type Database,
  eventJson,
  eventStatement,
  type HeldRun,
  heldStatement,
  type Statement,
} from "../../threads/runs/index.js";
import type { RunEvent } from "./run-engine.js";
import { checkpointOf, type Shortened } from "./values-elsewhere.js";

/** The longest time that events wait to be stored together with others, in milliseconds. */
const LONGEST_WAIT = 40;
/** The number of events that are kept in memory for readers, and their characters. Slower readers read the database. */
const MOST_EVENTS = 500;
const MOST_CHARACTERS = 200_000;

interface Due {
  readonly event: string;
  readonly json: string;
  readonly at: number;
  readonly shortened: Shortened | undefined;
  readonly pair: Pair | undefined;
}

/** Data of two parts, each as JSON. The second one is often that of the event before. */
export interface Pair {
  readonly first: string;
  readonly second: string;
}

/**
 * The events of a run in this process. They are stored in batches, and readers get them when they are stored: after a crash
 * no number stands for another event.
 */
export class Recording {
  #due: Due[] = [];
  #recent: RunEvent[] = [];
  #recentSize = 0;
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** When events began to be stored the last time, and whether that were the first ones after a silence. */
  #storedAt = Number.NEGATIVE_INFINITY;
  #storedFirst = false;
  #wake: () => void = () => undefined;
  #changed: Promise<void>;
  #hasEnded = false;
  #isClosed = false;
  /** Until it is known which events of earlier attempts are stored, readers read the database. */
  #lastSeq = Number.MAX_SAFE_INTEGER;
  #hasFailed = false;
  /** The newest second part of an event that was stored. */
  #second = { json: "", seq: 0 };

  /**
   * @param told What is called each time when events are stored, and once if they cannot be.
   */
  constructor(
    private readonly database: Database,
    private readonly run: HeldRun,
    private readonly told: { stored(): void; failed(): void },
  ) {
    this.#changed = this.#nextChange();
  }

  /** True if the run has ended, and all of its events are stored. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Goes on after the events of earlier attempts. To be called before the first event is added. */
  continueAfter(seq: number): void {
    this.#lastSeq = seq;
    this.#wakeReaders();
  }

  /**
   * Adds an event. It is stored at once if no others are being stored, and together with others if many come.
   *
   * @param shortened The form in which it is stored, if a checkpoint has its values.
   * @param pair Its data, if they have two parts.
   */
  add(event: string, json: string, shortened?: Shortened, pair?: Pair): void {
    this.#due.push({ event, json, at: Date.now(), shortened, pair });
    if (this.#writing === undefined && this.#timer === undefined) this.#storeInTime();
  }

  /** Stores all events, and then runs statements in one transaction with the last ones. */
  async end(statements: readonly Statement[]): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    clearTimeout(this.#timer);
    const events = [...this.#due];
    await this.#write(events, statements);
    this.#hasEnded = true;
  }

  /** Wakes the readers for the last time. A run that has not ended goes on elsewhere. */
  close(): void {
    clearTimeout(this.#timer);
    this.#isClosed = true;
    this.#wakeReaders();
  }

  /** Returns the events after a number; undefined if not all of them are in memory. */
  after(seq: number): readonly RunEvent[] | undefined {
    const first = this.#recent[0]?.seq ?? this.#lastSeq + 1;
    return seq + 1 < first ? undefined : this.#recent.slice(seq + 1 - first);
  }

  /** Waits until further events are stored, or the run has ended. */
  changed(signal?: AbortSignal): Promise<void> {
    return this.#hasEnded || this.#isClosed ? Promise.resolve() : untilAborted(this.#changed, signal);
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Stores the first events after a silence, and those that come next, at once. Further ones wait for others. */
  #storeInTime(): void {
    const wait = this.#storedAt + LONGEST_WAIT - performance.now();
    if (wait <= 0 || this.#storedFirst) this.#store(wait <= 0);
    else this.#timer = setTimeout(() => this.#store(false), wait);
  }

  #store(isFirst: boolean): void {
    this.#timer = undefined;
    if (this.#writing !== undefined || this.#hasFailed) return;
    this.#storedAt = performance.now();
    this.#storedFirst = isFirst;
    this.#writing = this.#write(this.#due.splice(0), [])
      .catch(() => {
        this.#hasFailed = true;
        this.told.failed();
      })
      .finally(() => {
        this.#writing = undefined;
        if (this.#due.length > 0) this.#storeInTime();
      });
  }

  async #write(events: readonly Due[], statements: readonly Statement[]): Promise<void> {
    const isLast = statements.length > 0;
    const { alike, second } = this.#alike(events);
    const rows =
      events.length === 0
        ? []
        : [eventStatement(this.run, this.#lastSeq + 1, await Promise.all(alike.map(storedForm)))];
    if (rows.length + statements.length === 0) return;
    const options = isLast ? {} : { synced: false, grouped: true };
    await this.database.batch([heldStatement(this.database, this.run), ...rows, ...statements], options);
    this.#second = second;
    this.#remember(events);
    this.told.stored();
  }

  /** Returns events with the number of the stored event whose second part they have, too, and the newest second part. */
  #alike(events: readonly Due[]) {
    let second = this.#second;
    const alike = events.map((due, index) => {
      if (due.pair === undefined) return due;
      if (due.pair.second === second.json) return { ...due, like: second.seq };
      second = { json: due.pair.second, seq: this.#lastSeq + 1 + index };
      return due;
    });
    return { alike, second };
  }

  #remember(events: readonly Due[]): void {
    for (const { event, json, at, shortened } of events) {
      this.#lastSeq += 1;
      this.#recent.push({ seq: this.#lastSeq, event, json, at, checkpoint: checkpointOf(shortened?.values) });
      this.#recentSize += json.length;
    }
    while (this.#recent.length > MOST_EVENTS || (this.#recentSize > MOST_CHARACTERS && this.#recent.length > 1)) {
      this.#recentSize -= this.#recent.shift()?.json.length ?? 0;
    }
    this.#wakeReaders();
  }

  #wakeReaders(): void {
    const wake = this.#wake;
    this.#changed = this.#nextChange();
    wake();
  }
}

/** An event never names a checkpoint that is not stored. */
async function storedForm({ event, json, at, shortened, pair, like }: Due & { like?: number }): Promise<string> {
  if (pair && like !== undefined) return eventJson(event, pair.first, at, { like });
  const isStored = await shortened?.stored.then(
    () => true,
    () => false,
  );
  return shortened && isStored ? eventJson(event, shortened.json, at, shortened.values) : eventJson(event, json, at);
}
