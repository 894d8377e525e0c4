import { AsyncResource } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { RunError, ThreadError, ThreadInUseError } from "../../base/errors.js";
import type { Lease } from "../../core/run/keeper.js";
import {
  cancelRun,
  claimRuns,
  type Database,
  deleteRunStatements,
  ENGINE_PREFIX,
  enqueueStatements,
  type HeldRun,
  PAGE,
  type RunRow,
  readEvents,
  readHeld,
  readHolders,
  readNewest,
  readRun,
  readRuns,
  readRunsAfter,
  refusalOf,
  releaseRun,
  releaseRunsOf,
  type ThreadCheckpointer,
} from "../../threads/runs/index.js";
import { ActiveRun, type RunPlace } from "./active-run.js";
import { EngineSignals } from "./engine-signals.js";
import { Looking } from "./looking.js";
import { Retention, type RetentionTimes } from "./retention.js";
import type { Run, RunEngine, RunEvent, RunOrder, RunStatus } from "./run-engine.js";
import type { ServedGraph } from "./served-graph.js";
import { toRow, toRun } from "./stored-run.js";
import { madeWhole } from "./values-elsewhere.js";

/** The limits of an engine, and its times in milliseconds. */
export interface EngineOptions extends Partial<RetentionTimes> {
  /** The most runs at once. Default: 100. With 0 other engines on the database run what this one stores. */
  readonly mostAtOnce?: number;
  /** The most runs of an owner that wait. Default: 1,000. */
  readonly mostQueued?: number;
  /** The most processes, one after the other, that may end in a run before it has stored a further step. It fails then. Default: 3. */
  readonly mostAttempts?: number;
  /** The time between two looks at the runs of other engines on the database. Default: 250. */
  readonly pollMs?: number;
}

const usualOptions: Required<EngineOptions> = {
  mostAtOnce: 100,
  mostQueued: 1_000,
  mostAttempts: 3,
  pollMs: 250,
  eventsMs: 3_600_000,
  runsMs: Number.POSITIVE_INFINITY,
  temporaryMs: 60_000,
};

/**
 * An engine that runs runs in this process, on the database of the threads. Several engines may work on one database: each
 * run is executed by one of them, and those of an engine that is gone are taken over.
 */
export class ProcessEngine implements RunEngine {
  readonly #database: Database;
  readonly #active = new Map<string, ActiveRun>();
  /** The runs that are being stored, and that this engine does not execute yet. */
  readonly #arriving = new Set<string>();
  /** The runs that are being taken. Whoever looks for room waits for them. */
  #claiming: Promise<unknown> = Promise.resolve();
  readonly #closing = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #options: Required<EngineOptions>;
  readonly #place: RunPlace;
  readonly #retention: Retention;
  readonly #signals: EngineSignals;
  /** The asynchronous context of the engine: a run outlives the request that started it, and may be started by a stranger's. */
  readonly #context = new AsyncResource("glassloop.engine");
  /** The number of the newest run of each thread that is followed, as the last round found it. */
  #newest: ReadonlyMap<string, number> = new Map();
  readonly endedRuns = new Map<RunStatus, number>([
    ["success", 0],
    ["error", 0],
    ["interrupted", 0],
  ]);
  /** Stops, gives back and takes runs. */
  readonly #taking = new Looking(() => this.#takeRuns());
  /** Takes over what others left. It can wait for a while until others are known to be gone. */
  readonly #rounds = new Looking(() => this.#goRound());

  private constructor(
    private readonly checkpointer: ThreadCheckpointer,
    private readonly graphs: ReadonlyMap<string, ServedGraph>,
    private readonly presence: Lease,
    options: EngineOptions,
  ) {
    this.#database = checkpointer.database;
    this.#options = { ...usualOptions, ...options };
    const { mostAttempts, pollMs: retryMs } = this.#options;
    const closing = this.#closing.signal;
    this.#retention = new Retention(checkpointer, this.#options);
    this.#signals = new EngineSignals(checkpointer.database.listen, retryMs, {
      work: () => this.#taking.now(),
      stop: () => this.#stopCancelled().catch(() => undefined),
    });
    const stored = (run: string) => this.#signals.stored(run);
    this.#place = { holder: presence.thread, checkpointer, graphs, mostAttempts, retryMs, closing, stored };
    this.#timer = setInterval(() => {
      this.#rounds.now();
      this.#taking.now();
    }, retryMs).unref();
    this.#rounds.now();
    this.#taking.now();
  }

  /**
   * Starts an engine. It goes on with the runs that an engine left which is gone.
   *
   * @param graphs The graphs by name, each with its checkpointer.
   */
  static async start(
    checkpointer: ThreadCheckpointer,
    graphs: ReadonlyMap<string, ServedGraph>,
    options: EngineOptions = {},
  ): Promise<ProcessEngine> {
    const presence = await checkpointer.guard.take(`${ENGINE_PREFIX}${randomUUID()}`);
    return new ProcessEngine(checkpointer, graphs, presence, options);
  }

  async enqueue(order: RunOrder): Promise<Run> {
    if (this.#closing.signal.aborted) throw new RunError("server-closing", order.id);
    if (!this.graphs.has(order.graph)) throw new RunError("unknown-graph", order.id, order.graph);
    await this.#refuseIfBusy(order);
    this.#arriving.add(order.id);
    try {
      const stored = await this.#store(order);
      // A run that had to wait may have been claimed meanwhile by a look of this engine, which executes it.
      if (stored.holder !== this.presence.thread) this.#taking.now();
      else if (this.#arriving.has(order.id)) this.#execute(stored);
      if (stored.status === "pending") this.#signals.work();
      this.#signals.arrived(order.thread);
      if (order.strategy === "interrupt" || order.strategy === "rollback")
        await this.#stopEverywhere().catch(() => undefined);
      return toRun(stored);
    } finally {
      this.#arriving.delete(order.id);
    }
  }

  /** A run of another program, such as the command line, is no row of a server. */
  async #refuseIfBusy({ strategy, thread }: RunOrder): Promise<void> {
    if (strategy !== "reject" || !(await this.checkpointer.guard.isRunning(thread))) return;
    throw new ThreadInUseError(thread, hostname(), process.pid);
  }

  async #store(order: RunOrder): Promise<RunRow> {
    await this.#claiming;
    const hasRoom = this.#active.size + this.#arriving.size <= this.#options.mostAtOnce;
    const admission = { holder: this.presence.thread, hasRoom, mostQueued: this.#options.mostQueued };
    const statements = enqueueStatements(toRow(order), admission);
    await this.#database.batch(statements).catch(async (error: unknown) => {
      throw (await readRun(this.#database, order.id)) === undefined ? error : new RunError("run-exists", order.id);
    });
    const stored = await readRun(this.#database, order.id);
    if (stored === undefined) throw await this.#refusal(order);
    return stored;
  }

  async #refusal(order: RunOrder): Promise<Error> {
    const why = await refusalOf(this.#database, toRow(order));
    if (why === "other-owner") return new ThreadError("thread-not-found", order.thread);
    if (why === "in-use") return new ThreadInUseError(order.thread, hostname(), process.pid);
    return new RunError("too-many-runs", order.id);
  }

  async cancel(id: string, action: "interrupt" | "rollback"): Promise<void> {
    await this.#find(id);
    await cancelRun(this.#database, id, action);
    await this.#stopEverywhere();
    await this.#active.get(id)?.ended;
    using elsewhere = this.#signals.events(id);
    while (isActive((await readRun(this.#database, id))?.status)) await elsewhere.changed();
    const left = action === "rollback" ? await readRun(this.#database, id) : undefined;
    // It never began: there is nothing else to undo.
    if (left?.status === "interrupted" && !left.hasBegun) await this.#database.batch(deleteRunStatements(left));
    this.#taking.now();
    this.#signals.work();
  }

  async get(id: string): Promise<Run | undefined> {
    const row = await readRun(this.#database, id);
    return row && toRun(row);
  }

  async list(
    thread: string,
    options: { readonly limit: number; readonly offset: number; readonly status?: RunStatus },
  ): Promise<Run[]> {
    return (await readRuns(this.#database, thread, options)).map(toRun);
  }

  async delete(id: string): Promise<void> {
    const run = await this.#find(id);
    if (isActive(run.status)) throw new RunError("run-active", id);
    await this.#database.batch(deleteRunStatements(run));
  }

  async #find(id: string): Promise<RunRow> {
    const run = await readRun(this.#database, id);
    if (run === undefined) throw new RunError("run-not-found", id);
    return run;
  }

  async *follow(
    thread: string,
    owner: string | undefined,
    after: number | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<Run> {
    const left = AbortSignal.any([this.#closing.signal, signal]);
    using arrivals = this.#signals.threads.wait(thread);
    let number = after;
    while (!left.aborted) {
      const runs = await readRunsAfter(this.#database, thread, number);
      for (const run of runs) {
        number = run.number;
        // The thread may have been deleted, and made by somebody else.
        const isThere = run.owner === owner && !run.isSwept;
        if (isThere && (isActive(run.status) || run.attempt > 0)) yield toRun(run);
      }
      number ??= 0;
      if (runs.length === 0) await arrivals.changed(left);
    }
    if (!signal.aborted) throw new RunError("server-closing", thread);
  }

  async *stream(id: string, afterSeq: number, signal?: AbortSignal): AsyncGenerator<RunEvent> {
    const left = AbortSignal.any([this.#closing.signal, ...(signal ? [signal] : [])]);
    using elsewhere = this.#signals.events(id);
    let seq = afterSeq;
    for (;;) {
      const recording = this.#active.get(id)?.recording;
      const inMemory = recording?.after(seq);
      const run = inMemory ? undefined : await this.#find(id);
      const hasEnded = recording ? recording.hasEnded : run && !isActive(run.status);
      const events = run ? await this.#readStored(run, seq) : (inMemory ?? []);
      for (const event of events) {
        yield event;
        seq = event.seq;
      }
      // What is stored after it was read is signalled, or belongs to the next page.
      if (recording ? events.length > 0 : events.length >= PAGE) continue;
      if (hasEnded) return;
      if (left.aborted) break;
      await (recording ?? elsewhere).changed(left).catch(() => undefined);
    }
    if (!signal?.aborted) throw new RunError("server-closing", id);
  }

  async #readStored(run: RunRow, after: number): Promise<RunEvent[]> {
    if (run.isSwept) throw new RunError("run-events-deleted", run.id);
    const stored = await readEvents(this.#database, run, after);
    const events: RunEvent[] = [];
    for (const event of stored) {
      events.push(await madeWhole(event, (namespace, checkpoint) => this.#readValues(run, namespace, checkpoint)));
    }
    return events;
  }

  async #readValues({ thread }: RunRow, checkpoint_ns: string, checkpoint_id: string) {
    const configurable = { thread_id: thread, checkpoint_ns, checkpoint_id };
    return (await this.checkpointer.getTuple({ configurable }))?.checkpoint.channel_values;
  }

  async close(drainMs: number): Promise<boolean> {
    this.#closing.abort();
    clearInterval(this.#timer);
    await Promise.all([this.#taking.close(), this.#rounds.close()]);
    const active = [...this.#active.values()];
    for (const run of active) run.drain();
    const waiting = new AbortController();
    const patience = sleep(drainMs, false, { signal: waiting.signal }).catch(() => false);
    const isDrained = await Promise.race([Promise.all(active.map(({ ended }) => ended)).then(() => true), patience]);
    waiting.abort();
    for (const run of active) run.stop("drain");
    await Promise.all(active.map(({ ended }) => ended));
    this.#signals.work();
    this.#signals.close();
    await this.presence.release();
    return isDrained;
  }

  get silentMs(): number {
    return Math.max(this.#taking.age, this.#rounds.age);
  }

  get activeRuns(): number {
    return this.#active.size;
  }

  async #takeRuns(): Promise<void> {
    await this.#giveBackLost();
    const room = this.#options.mostAtOnce - this.#active.size - this.#arriving.size;
    if (room <= 0 || this.#closing.signal.aborted) return;
    const claim = claimRuns(this.#database, this.presence.thread, [...this.graphs.keys()], room);
    this.#claiming = claim.catch(() => undefined);
    const runs = await claim;
    const wasTakenForGone = runs.some(({ id }) => this.#active.has(id));
    for (const run of runs) this.#execute(run);
    // Until its sign of life is there again, others give back whatever it takes, and each time counts as an attempt.
    if (wasTakenForGone) await this.#database.listen?.keep();
  }

  async #goRound(): Promise<void> {
    await this.#findArrived();
    await this.#takeOver();
    await this.#retention.sweep();
  }

  /** Finds runs of which no signal told. */
  async #findArrived(): Promise<void> {
    const { names } = this.#signals.threads;
    const newest = names.length > 0 ? await readNewest(this.#database, names) : new Map<string, number>();
    for (const [thread, number] of newest) if (this.#newest.get(thread) !== number) this.#signals.threads.call(thread);
    this.#newest = newest;
  }

  /** Gives back the runs of engines that are gone. */
  async #takeOver(): Promise<void> {
    const holders = await readHolders(this.#database, this.presence.thread);
    if (holders.length === 0) return;
    const running = await this.checkpointer.guard.running(holders);
    const lost = holders.filter((holder) => !running.has(holder));
    for (const holder of lost) await releaseRunsOf(this.#database, holder);
    if (lost.length > 0) this.#taking.now();
  }

  async #stopEverywhere(): Promise<void> {
    this.#signals.stop();
    await this.#stopCancelled();
  }

  /** Stops the runs that were cancelled. Returns those that this engine has, as far as its database knows. */
  async #stopCancelled(): Promise<HeldRun[]> {
    const held = await readHeld(this.#database, this.presence.thread);
    for (const { id, cancelled } of held) if (cancelled) this.#active.get(id)?.stop(cancelled);
    return held;
  }

  /** Gives back what was taken without a word of it, as a broken connection can do. No run may be taken meanwhile. */
  async #giveBackLost(): Promise<void> {
    const before = new Set([...this.#active.keys(), ...this.#arriving]);
    for (const run of await this.#stopCancelled()) {
      const isKnown = before.has(run.id) || this.#active.has(run.id) || this.#arriving.has(run.id);
      if (!isKnown) await releaseRun(this.#database, run, false);
    }
  }

  #execute(row: RunRow): void {
    const before = this.#active.get(row.id);
    // Another engine took the run for lost, and gave it back.
    before?.stop("unstored");
    const run = this.#context.runInAsyncScope(() => new ActiveRun(row, this.#place, before?.ended));
    this.#active.set(row.id, run);
    this.#arriving.delete(row.id);
    this.#signals.runs.call(row.id);
    run.ended.then((status) => {
      if (status !== undefined) this.endedRuns.set(status, (this.endedRuns.get(status) ?? 0) + 1);
      if (this.#active.get(row.id) === run) this.#active.delete(row.id);
      run.recording.close();
      this.#taking.now();
    });
  }
}

function isActive(status: string | undefined): boolean {
  return status === "pending" || status === "running";
}
