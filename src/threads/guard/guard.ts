import { setTimeout as sleep } from "node:timers/promises";
import { ThreadInterruptedError, ThreadInUseError, ThreadTakenOverError } from "../../base/errors.js";
import type { Database, Statement } from "../databases/database.js";
import { GuardClaims, type GuardTimes } from "./claims.js";
import { type Failure, HeldThread, type Hold } from "./hold.js";
import { hostnameOf } from "./process.js";
import { fenceStatement, type GuardRow, interruptGuard, readGuard } from "./rows.js";
import { Lines } from "./waiting-lines.js";

/** What becomes of a run whose thread is in use, in the words of the LangGraph server. */
export const multitaskStrategies = ["reject", "enqueue", "interrupt"] as const;
export type MultitaskStrategy = (typeof multitaskStrategies)[number];

/** In milliseconds. */
const usualTimes: GuardTimes = { heartbeat: 1_000, expiry: 30_000, poll: 100 };

/**
 * Keeps two runs from using one thread at once, in one process or several: a row in the database says who runs a thread.
 * The row of a process that ended is free at once on its own machine, and half a minute later elsewhere. A run that lost
 * its row all the same can no longer write to the thread.
 */
export class ThreadGuard {
  readonly #claims: GuardClaims;
  readonly #held = new Map<string, HeldThread>();
  readonly #lines = new Lines();
  #heartbeat: NodeJS.Timeout | undefined;
  #renewing = false;

  /**
   * @param settle Stores what waits to be written to a thread. Called before the thread is let go. Returns why that failed,
   *   where nobody was told.
   */
  constructor(
    private readonly database: Database,
    private readonly times = usualTimes,
    private readonly settle: (thread: string) => Promise<Failure | undefined> = async () => undefined,
  ) {
    this.#claims = new GuardClaims(database, times);
  }

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
    return found !== undefined && !(await this.#claims.isGone(found));
  }

  /**
   * Writes to a thread, all of it or nothing.
   *
   * @throws ThreadTakenOverError when this process held the thread, and lost it. Nothing is written then.
   */
  async write(thread: string, statements: readonly Statement[]): Promise<void> {
    const held = this.#held.get(thread);
    if (held === undefined) return this.database.batch(statements);
    try {
      await this.database.batch([fenceStatement(thread, held.owner), ...statements]);
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
    const taken = await this.#claims.take(thread);
    if (typeof taken !== "string") return taken;
    const held: HeldThread = new HeldThread(taken, () => this.#free(thread, held));
    this.#held.set(thread, held);
    this.#heartbeat ??= setInterval(() => this.#renew(), this.times.heartbeat).unref();
    return held;
  }

  /** Returns why something that was written to the thread could not be stored, where nobody was told. */
  async #free(thread: string, held: HeldThread): Promise<Failure | undefined> {
    const failure = await this.settle(thread);
    const isFree = await this.#claims.free(thread, held.owner);
    if (this.#held.get(thread) === held) this.#held.delete(thread);
    if (isFree) this.#rest();
    return failure;
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
    const renewed = await this.#claims.renew();
    this.#renewing = false;
    if (renewed === undefined) return;
    const byOwner = new Map(renewed.rows.map((row) => [row.owner, row]));
    for (const [thread, run] of held) {
      const row = byOwner.get(run.owner);
      if (row === undefined) run.stop(new ThreadTakenOverError(thread));
      else if (row.interrupted) run.stop(new ThreadInterruptedError(thread));
    }
    if (renewed.isDone) this.#rest();
  }

  #rest(): void {
    if (this.#held.size > 0) return;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }
}
