import { randomUUID } from "node:crypto";
import { RunError } from "../../base/errors.js";
import {
  CHANGED,
  type ListedThread,
  readTraces,
  type ThreadCheckpointer,
  type ThreadDirectory,
  type Traces,
  tracesSince,
} from "../../threads/runs/index.js";
import { Looking } from "./looking.js";
import { Waiters } from "./waiters.js";

/** A change of the list of threads, as it is sent. */
interface ListChange {
  readonly number: number;
  readonly owner: string | undefined;
  readonly event: "thread" | "deleted";
  readonly json: string;
}

/** The changes that are kept in memory. Who lacks more loads the list again. */
const KEPT = 500;
/** The most threads that one look reads. */
const MOST = 1_000;
/** Signals in this time are one look, in milliseconds. */
const SIGNALS_MS = 100;
/** What happened in a longer time without readers is not looked for, in milliseconds. */
const FORGOTTEN_MS = 60_000;
const LIST = "list";

/**
 * The changes of the list of threads, whichever process makes them. All readers share one look at the rows: at signals, and once
 * a second, as a signal can get lost and SQLite has none. There is no look while nobody reads.
 */
export class ThreadChanges {
  readonly #id = randomUUID();
  readonly #waiters = new Waiters();
  readonly #closing = new AbortController();
  readonly #looking = new Looking(() => this.#look());
  #known: Traces | undefined;
  #kept: ListChange[] = [];
  #last = 0;
  #readers = 0;
  #timer: NodeJS.Timeout | undefined;
  #due: NodeJS.Timeout | undefined;
  #leave: (() => void) | undefined;

  /**
   * @param jsonOf Writes a thread as readers get it.
   * @param lookMs The time between two looks without signals.
   */
  constructor(
    private readonly checkpointer: ThreadCheckpointer,
    private readonly directory: ThreadDirectory,
    private readonly jsonOf: (thread: ListedThread) => string,
    private readonly lookMs = 1_000,
  ) {}

  /**
   * Reads the changes after one, and waits for further ones. Begins with `reload` if it is not known what came after that one: the
   * reader loads the list then, and lacks nothing.
   *
   * @param sees Tells whether the reader sees the threads of an owner.
   * @param after The id of the last change that the reader has; empty for none.
   * @throws RunError "server-closing"
   */
  async *follow(sees: (owner: string | undefined) => boolean, after: string, signal: AbortSignal) {
    const left = AbortSignal.any([this.#closing.signal, signal]);
    using changes = this.#waiters.wait(LIST);
    this.#enter();
    try {
      while (this.#known === undefined && !left.aborted) await changes.changed(left);
      const [id, text] = after.split(".");
      let number = id === this.#id ? Number(text) : -1;
      while (!left.aborted) {
        const isKnown = number >= this.#last - this.#kept.length && number <= this.#last;
        if (!isKnown) {
          number = this.#last;
          yield { event: "reload", json: "null", id: `${this.#id}.${number}` };
        }
        const missed = this.#kept.filter((change) => change.number > number);
        for (const { owner, event, json, ...change } of missed) {
          number = change.number;
          if (sees(owner)) yield { event, json, id: `${this.#id}.${number}` };
        }
        if (missed.length === 0) await changes.changed(left);
      }
    } finally {
      this.#exit();
    }
    if (!signal.aborted) throw new RunError("server-closing", LIST);
  }

  /** Ends all reading. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#looking.close();
  }

  #enter(): void {
    this.#readers += 1;
    if (this.#readers > 1) return;
    if (this.#looking.age > FORGOTTEN_MS) {
      this.#known = undefined;
      this.#forget();
    }
    this.#timer = setInterval(() => this.#looking.now(), this.lookMs).unref();
    this.#leave = this.checkpointer.database.listen?.hear((signal) => {
      if (signal === CHANGED || signal.startsWith("arrived "))
        this.#due ??= setTimeout(() => this.#lookAtSignals(), SIGNALS_MS).unref();
    });
    this.#looking.now();
  }

  #exit(): void {
    this.#readers -= 1;
    if (this.#readers > 0) return;
    clearInterval(this.#timer);
    this.#leave?.();
  }

  #lookAtSignals(): void {
    this.#due = undefined;
    this.#looking.now();
  }

  async #look(): Promise<void> {
    const { database, guard } = this.checkpointer;
    const now = await readTraces(database, guard, this.#known);
    if (this.#known) await this.#keep(tracesSince(this.#known, now));
    this.#known = now;
    this.#waiters.call(LIST);
  }

  async #keep(traces: ReturnType<typeof tracesSince>): Promise<void> {
    const ids = new Set(traces.map(({ thread }) => thread));
    if (ids.size > MOST) return this.#forget();
    const threads = ids.size > 0 ? await this.directory.listed([...ids]) : [];
    const ownerOf = new Map(threads.map(({ id, owner }) => [id, owner]));
    // A thread may have been deleted, and made again by somebody else.
    const isGone = ({ thread, owner }: (typeof traces)[number]) =>
      !ownerOf.has(thread) || ownerOf.get(thread) !== owner;
    for (const trace of traces) {
      if (trace.kind === "change" && isGone(trace))
        this.#add(trace.owner, "deleted", JSON.stringify({ id: trace.thread }));
    }
    for (const thread of threads) this.#add(thread.owner, "thread", this.jsonOf(thread));
    this.#kept = this.#kept.slice(-KEPT);
  }

  #add(owner: string | undefined, event: ListChange["event"], json: string): void {
    this.#last += 1;
    this.#kept.push({ number: this.#last, owner, event, json });
  }

  /** Has all readers load the list again. */
  #forget(): void {
    this.#kept = [];
    this.#last += 1;
  }
}
