import { setTimeout as sleep } from "node:timers/promises";
import { GlassloopError, ThreadError, ThreadInUseError } from "../../base/errors.js";
import type { Lease, MultitaskStrategy } from "../../core/run/keeper.js";
import { CHANGED, type Database, type Statement } from "../databases/database.js";
import { GuardClaims, type GuardTimes } from "./claims.js";
import { type Failure, ThreadLease } from "./lease.js";
import { hostnameOf } from "./process.js";
import { fenceStatement, type GuardRow, interruptGuard, nobodyStatement, readGuard, readGuards } from "./rows.js";
import { Lines } from "./waiting-lines.js";

/** The usual times, in milliseconds. */
const usualTimes: GuardTimes = { heartbeat: 1_000, expiry: 25_000, poll: 100, patience: 10_000 };

/**
 * A guard that keeps two runs from using one thread at once, in one process or in several. A row in the database names
 * the run of a thread. The row of a process that ended is free at once on its own machine. On other machines it is free
 * after half a minute. A run that lost its row can no longer write to the thread.
 */
export class ThreadGuard {
  readonly #claims: GuardClaims;
  /** The holds of this process, by their owners. */
  readonly #held = new Map<string, ThreadLease>();
  readonly #lines = new Lines();
  #heartbeat: NodeJS.Timeout | undefined;
  #stopHearing: (() => void) | undefined;
  #renewing = false;

  /**
   * @param settle The function that stores the pending rows of a thread, called before the thread is released. Returns a
   *   failure of the run that no caller was told of.
   */
  constructor(
    private readonly database: Database,
    private readonly times = usualTimes,
    private readonly settle: (lease: Lease) => Promise<Failure | undefined> = async () => undefined,
  ) {
    this.#claims = new GuardClaims(database, times);
  }

  /**
   * Takes a thread for one run, until the lease is released.
   *
   * @param strategy The way to treat a thread in use. `reject` throws. `enqueue` waits; within a process, calls are
   *   served in order. `interrupt` stops the other run and waits until it has stopped.
   * @param signal A signal that ends the wait.
   * @throws ThreadInUseError if the thread is in use and the strategy is `reject`.
   */
  async take(thread: string, strategy: MultitaskStrategy = "reject", signal?: AbortSignal): Promise<Lease> {
    if (strategy !== "reject") {
      return this.#lines.wait(thread, signal, () => this.#takeWhenFree(thread, strategy, signal));
    }
    const found = await this.#tryToTake(thread);
    if (found instanceof ThreadLease) return found;
    throw inUse(thread, found);
  }

  /** Tells whether a run of any process uses a thread. */
  async isRunning(thread: string): Promise<boolean> {
    return (await this.running([thread])).has(thread);
  }

  /** Returns those of the threads that a run of any process uses. */
  async running(threads: readonly string[]): Promise<ReadonlySet<string>> {
    const found = await readGuards(this.database, threads);
    const gone = new Set(await this.#claims.gone(found));
    return new Set(found.filter((row) => !gone.has(row)).map(({ thread }) => thread));
  }

  /**
   * Writes to a thread: all statements or none.
   *
   * @param owner The run that writes. It must hold the thread. If it is undefined, nobody may hold the thread.
   * @param options.synced False if a loss of power may undo the rows.
   * @param options.grouped True if the rows are few and may be committed together with those of other threads.
   * @throws ThreadError "thread-taken-over" if the run has lost the thread; ThreadInUseError if there is no owner,
   *   and a run holds the thread. Nothing is written in these cases.
   */
  async write(
    thread: string,
    owner: string | undefined,
    statements: readonly Statement[],
    options: { readonly synced?: boolean; readonly grouped?: boolean } = {},
  ): Promise<void> {
    if (owner === undefined) return this.#writeFree(thread, statements, options.synced);
    try {
      await this.database.batch([fenceStatement(this.database, thread, owner), ...statements], options);
    } catch (error) {
      const found = await this.#readAfter(error, thread);
      throw found?.owner === owner ? error : new ThreadError("thread-taken-over", thread);
    }
  }

  /** Notes that what a run was given is stored. */
  noteStored(owner = ""): void {
    this.#held.get(owner)?.noteStored();
  }

  async #writeFree(thread: string, statements: readonly Statement[], synced = true): Promise<void> {
    try {
      await this.database.batch([nobodyStatement(thread), ...statements], { synced });
    } catch (error) {
      const found = await this.#readAfter(error, thread);
      // If there is no row, a run may have had the thread and ended since. An error of another cause comes again.
      if (found === undefined && error instanceof GlassloopError) throw error;
      // The row may be of a run that is gone. Then the thread can be taken, and is written to under that claim.
      const owner = await this.#claims.take(thread);
      if (typeof owner !== "string") throw inUse(thread, owner);
      await this.write(thread, owner, statements, { synced }).finally(() => this.#claims.free(thread, owner));
    }
  }

  /** Reads the row of a thread after a failed write. @throws The error that explains the failure, if it cannot. */
  #readAfter(failure: unknown, thread: string): Promise<GuardRow | undefined> {
    return readGuard(this.database, thread).catch((error: unknown) => {
      // The words of a statement that refuses to write explain nothing.
      throw failure instanceof GlassloopError ? failure : error;
    });
  }

  /** Releases all threads. */
  async close(): Promise<void> {
    await Promise.all([...this.#held.values()].map((held) => held.release()));
    this.#rest();
  }

  async #takeWhenFree(thread: string, strategy: "enqueue" | "interrupt", signal?: AbortSignal): Promise<Lease> {
    for (;;) {
      signal?.throwIfAborted();
      const found = await this.#tryToTake(thread);
      if (found instanceof ThreadLease) return found;
      if (strategy === "interrupt") await this.#interrupt(found);
      await Promise.race([
        sleep(this.times.poll),
        this.#held.get(found.owner)?.released ?? new Promise<void>(() => undefined),
      ]);
    }
  }

  /** Takes a thread, or returns the row of the run that has it. */
  async #tryToTake(thread: string): Promise<ThreadLease | GuardRow> {
    const taken = await this.#claims.take(thread);
    if (typeof taken !== "string") return taken;
    const held: ThreadLease = new ThreadLease(thread, taken, this.times.patience, () => this.#free(held));
    this.#held.set(taken, held);
    this.database.listen?.send(CHANGED);
    this.#heartbeat ??= setInterval(() => this.#renew(), this.times.heartbeat).unref();
    this.#stopHearing ??= this.database.listen?.hear((signal) => {
      if (signal === INTERRUPT) this.#renew();
    });
    return held;
  }

  /** Releases a thread. Returns a failure to store its last rows that no caller was told of. */
  async #free(held: ThreadLease): Promise<Failure | undefined> {
    const failure = await this.settle(held);
    const isFree = await this.#claims.free(held.thread, held.owner);
    this.#held.delete(held.owner);
    this.database.listen?.send(CHANGED);
    if (isFree) this.#rest();
    return failure;
  }

  async #interrupt(found: GuardRow): Promise<void> {
    const held = this.#held.get(found.owner);
    if (held) held.stop(new ThreadError("thread-interrupted", found.thread));
    else await this.#interruptElsewhere(found);
  }

  /** Asks the process that has the thread. It reads that at its next heartbeat, or when it hears of it. */
  async #interruptElsewhere(found: GuardRow): Promise<void> {
    if (await interruptGuard(this.database, found)) this.database.listen?.send(INTERRUPT);
  }

  /** Gives a sign of life for all holds. If the database cannot be reached, the next heartbeat tries again. */
  async #renew(): Promise<void> {
    if (this.#renewing) return;
    this.#renewing = true;
    const held = [...this.#held.values()];
    const renewed = await this.#claims.renew();
    this.#renewing = false;
    if (renewed === undefined) return;
    const byOwner = new Map(renewed.rows.map((row) => [row.owner, row]));
    for (const run of held) {
      const row = byOwner.get(run.owner);
      if (row === undefined) run.stop(new ThreadError("thread-taken-over", run.thread));
      else if (row.interrupted) run.stop(new ThreadError("thread-interrupted", run.thread));
    }
    if (renewed.isDone) this.#rest();
  }

  #rest(): void {
    if (this.#held.size > 0) return;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
    this.#stopHearing?.();
    this.#stopHearing = undefined;
  }
}

const INTERRUPT = "interrupt";

function inUse(thread: string, found: GuardRow): ThreadInUseError {
  return new ThreadInUseError(thread, hostnameOf(found), found.pid);
}
