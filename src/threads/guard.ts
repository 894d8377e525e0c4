import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { ThreadInterruptedError, ThreadInUseError, ThreadTakenOverError } from "../errors.js";
import type { Database, DatabaseLocks, Statement } from "./database.js";
import { Lines } from "./guard-lines.js";
import { hasEnded, hostnameOf, thisProcess } from "./guard-process.js";
import {
  deleteGuard,
  fenceStatement,
  type GuardClaim,
  type GuardRow,
  insertGuard,
  interruptGuard,
  putGuard,
  readGuard,
  renewGuards,
  replaceGuard,
} from "./guard-rows.js";

/** What becomes of a run whose thread is in use, in the words of the LangGraph server. */
export const multitaskStrategies = ["reject", "enqueue", "interrupt"] as const;
export type MultitaskStrategy = (typeof multitaskStrategies)[number];

/** A thread that is kept from others. */
export interface Hold {
  /** Aborts when the run has to stop: another one interrupted it, or took its thread over. The reason is the error to throw. */
  readonly signal: AbortSignal;
  /** Lets others have the thread. Never throws, and may be called twice. */
  release(): Promise<void>;
}

/** How long things take, in milliseconds. */
export interface GuardTimes {
  /** How often a run says that it still runs, and hears whether it was asked to stop. */
  readonly heartbeat: number;
  /** A run that was silent for so long is gone, as far as can be told from elsewhere. */
  readonly expiry: number;
  /** How often one that waits looks whether a thread is free. */
  readonly poll: number;
}

const usualTimes: GuardTimes = { heartbeat: 1_000, expiry: 30_000, poll: 100 };

/**
 * Keeps two runs from using one thread at once, in one process or several: a row in the database says who runs a thread.
 * The row of a process that ended is free at once on its own machine, and half a minute later elsewhere. A run that lost
 * its row all the same can no longer write to the thread.
 */
export class ThreadGuard {
  readonly #holder = randomUUID();
  readonly #process = thisProcess();
  readonly #owners = new Set<string>();
  readonly #held = new Map<string, HeldThread>();
  readonly #lines = new Lines();
  #heartbeat: NodeJS.Timeout | undefined;
  #renewing = false;

  constructor(
    private readonly database: Database,
    private readonly times = usualTimes,
  ) {}

  /**
   * Keeps a thread from others until the hold is released.
   *
   * @param strategy When the thread is in use: `reject` throws; `enqueue` waits, in this process in the order of the calls;
   *   `interrupt` stops the run that has it, and waits until it has stopped.
   * @param signal Ends the wait.
   * @throws ThreadInUseError under `reject`.
   */
  async take(thread: string, strategy: MultitaskStrategy = "reject", signal?: AbortSignal): Promise<Hold> {
    if (strategy !== "reject") {
      return this.#lines.wait(thread, signal, () => this.#takeWhenFree(thread, strategy, signal));
    }
    const found = await this.#tryToTake(thread);
    if (found instanceof HeldThread) return found;
    throw new ThreadInUseError(thread, { pid: found.pid, host: hostnameOf(found) });
  }

  /** Whether anybody keeps a thread from others at the moment, in this process or another one. */
  async isRunning(thread: string): Promise<boolean> {
    const found = await readGuard(this.database, thread);
    return found !== undefined && !(await this.#isGone(found));
  }

  /**
   * Writes to a thread as {@link Database.batch} does.
   *
   * @throws ThreadTakenOverError when this process held the thread, and lost it. Nothing is written then.
   */
  async write(
    thread: string,
    statements: readonly Statement[],
    options?: { readonly durable?: boolean },
  ): Promise<void> {
    const held = this.#held.get(thread);
    if (held === undefined) return this.database.batch(statements, options);
    try {
      await this.database.batch([fenceStatement(thread, held.owner), ...statements], options);
    } catch (error) {
      const found = await readGuard(this.database, thread).catch(() => held);
      throw found?.owner === held.owner ? error : new ThreadTakenOverError(thread);
    }
  }

  /** Releases all that is held. */
  async close(): Promise<void> {
    await Promise.all([...this.#held.values()].map((held) => held.release()));
    this.#rest();
  }

  async #takeWhenFree(thread: string, strategy: "enqueue" | "interrupt", signal?: AbortSignal): Promise<Hold> {
    for (;;) {
      signal?.throwIfAborted();
      const found = await this.#tryToTake(thread);
      if (found instanceof HeldThread) return found;
      if (strategy === "interrupt") await this.#interrupt(found);
      await Promise.race([
        sleep(this.times.poll),
        this.#held.get(thread)?.released ?? new Promise<void>(() => undefined),
      ]);
    }
  }

  /** Takes a thread; or says who has it. */
  async #tryToTake(thread: string): Promise<HeldThread | GuardRow> {
    const claim = { thread, owner: randomUUID(), holder: this.#holder, ...this.#process, renewedAt: Date.now() };
    // Known before it is in the database, where another call of this process may find it.
    this.#owners.add(claim.owner);
    const found = await this.#insert(claim).catch((error: unknown) => {
      this.#owners.delete(claim.owner);
      throw error;
    });
    if (found === undefined) return this.#hold(claim);
    this.#owners.delete(claim.owner);
    return found;
  }

  /** Writes who has a thread from now on. Returns who has it already. */
  #insert(claim: GuardClaim): Promise<GuardRow | undefined> {
    const { locks } = this.database;
    return locks === undefined ? this.#insertRow(claim) : this.#insertLocked(claim, locks);
  }

  /** The lock decides: whoever left a row without having the lock is gone. */
  async #insertLocked(claim: GuardClaim, locks: DatabaseLocks): Promise<GuardRow | undefined> {
    while (!(await locks.take(claim.thread))) {
      const found = await readGuard(this.database, claim.thread);
      if (found !== undefined && !this.#hasEnded(found)) return found;
      // The row or the lock of the other one will be there, or gone, in a moment.
      await sleep(this.times.poll);
    }
    await putGuard(this.database, claim).catch(async (error: unknown) => {
      await locks.release(claim.thread);
      throw error;
    });
    return undefined;
  }

  async #insertRow(claim: GuardClaim): Promise<GuardRow | undefined> {
    for (;;) {
      if (await insertGuard(this.database, claim)) return undefined;
      const found = await readGuard(this.database, claim.thread);
      if (found === undefined) continue;
      if (!(await this.#isGone(found))) return found;
      if (await replaceGuard(this.database, found, claim)) return undefined;
    }
  }

  #hold({ thread, owner }: GuardClaim): HeldThread {
    const held: HeldThread = new HeldThread(owner, () => this.#free(thread, held));
    this.#heartbeat ??= setInterval(() => this.#renew(), this.times.heartbeat).unref();
    this.#held.set(thread, held);
    return held;
  }

  async #free(thread: string, held: HeldThread): Promise<void> {
    const isFree = await this.#tryToDelete({ thread, owner: held.owner });
    await this.database.locks?.release(thread);
    this.#owners.delete(held.owner);
    if (this.#held.get(thread) === held) this.#held.delete(thread);
    if (isFree) this.#rest();
  }

  async #isGone(found: GuardRow): Promise<boolean> {
    if (this.#hasEnded(found)) return true;
    if (Date.now() - found.renewedAt < this.times.expiry) return false;
    // Clocks can jump: it has the time of a few heartbeats to show that it still runs.
    await sleep(3 * this.times.heartbeat);
    const again = await readGuard(this.database, found.thread);
    return again?.owner === found.owner && again.renewedAt === found.renewedAt;
  }

  #hasEnded(found: GuardRow): boolean {
    return found.holder === this.#holder ? !this.#owners.has(found.owner) : hasEnded(found);
  }

  async #interrupt(found: GuardRow): Promise<void> {
    const held = this.#held.get(found.thread);
    if (held?.owner === found.owner) held.stop(new ThreadInterruptedError(found.thread));
    else await interruptGuard(this.database, found);
  }

  /** A database that cannot be reached is tried again at the next heartbeat. */
  async #renew(): Promise<void> {
    if (this.#renewing) return;
    this.#renewing = true;
    const held = [...this.#held];
    await this.database.locks?.keep().catch(() => undefined);
    const rows = await renewGuards(this.database, this.#holder, Date.now()).catch(() => undefined);
    this.#renewing = false;
    if (rows === undefined) return;
    const byOwner = new Map(rows.map((row) => [row.owner, row]));
    for (const [thread, run] of held) {
      const row = byOwner.get(run.owner);
      if (row === undefined) run.stop(new ThreadTakenOverError(thread));
      else if (row.interrupted) run.stop(new ThreadInterruptedError(thread));
    }
    const leftOver = rows.filter(({ owner }) => !this.#owners.has(owner));
    const deleted = await Promise.all(leftOver.map((row) => this.#tryToDelete(row)));
    if (!deleted.includes(false)) this.#rest();
  }

  /** A row that cannot be deleted, on a full disk, is tried again at the next heartbeat. */
  async #tryToDelete(row: Pick<GuardRow, "thread" | "owner">): Promise<boolean> {
    return deleteGuard(this.database, row).then(
      () => true,
      () => false,
    );
  }

  #rest(): void {
    if (this.#held.size > 0) return;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }
}

class HeldThread implements Hold {
  readonly #stopping = new AbortController();
  readonly released: Promise<void>;
  #markReleased: () => void = () => undefined;
  #releasing: Promise<void> | undefined;

  constructor(
    readonly owner: string,
    private readonly free: () => Promise<void>,
  ) {
    this.released = new Promise((resolve) => {
      this.#markReleased = resolve;
    });
  }

  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Tells the run to stop, unless it is ending already. */
  stop(reason: Error): void {
    if (this.#releasing === undefined) this.#stopping.abort(reason);
  }

  release(): Promise<void> {
    this.#releasing ??= this.free().then(this.#markReleased);
    return this.#releasing;
  }
}
