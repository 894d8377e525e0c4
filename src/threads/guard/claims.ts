import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Database, DatabaseLocks } from "../databases/database.js";
import { hasEnded, thisProcess } from "./process.js";
import {
  deleteGuard,
  type GuardClaim,
  type GuardRow,
  insertGuard,
  putGuard,
  readGuard,
  renewGuards,
  replaceGuard,
} from "./rows.js";

/** How long things take, in milliseconds. */
export interface GuardTimes {
  /** How often a run says that it still runs, and hears whether it was asked to stop. */
  readonly heartbeat: number;
  /** A run that was silent for so long is gone, as far as can be told from elsewhere. */
  readonly expiry: number;
  /** How often one that waits looks whether a thread is free. */
  readonly poll: number;
}

/** The rows of the threads that one opened database has, and what it can tell of the rows of others. */
export class GuardClaims {
  readonly #holder = randomUUID();
  readonly #process = thisProcess();
  /** The runs whose rows count. A row of this holder's with another owner is one that could not be deleted. */
  readonly #owners = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly times: GuardTimes,
  ) {}

  /** Takes a thread. Returns the new owner, or the row of the one who has it. */
  async take(thread: string): Promise<string | GuardRow> {
    const claim = { thread, owner: randomUUID(), holder: this.#holder, ...this.#process, renewedAt: Date.now() };
    // Known before it is in the database, where another call of this process may find it.
    this.#owners.add(claim.owner);
    const found = await this.#insert(claim).catch((error: unknown) => {
      this.#owners.delete(claim.owner);
      throw error;
    });
    if (found === undefined) return claim.owner;
    this.#owners.delete(claim.owner);
    return found;
  }

  /** Gives a thread back. Returns false when its row could not be deleted, which {@link renew} tries again. */
  async free(thread: string, owner: string): Promise<boolean> {
    const isFree = await this.#tryToDelete({ thread, owner });
    await this.database.locks?.release(thread);
    this.#owners.delete(owner);
    return isFree;
  }

  /**
   * Says that all runs of this holder still run.
   *
   * @returns Their rows, and whether others are left that have to be deleted; undefined when the database cannot be reached.
   */
  async renew(): Promise<{ readonly rows: GuardRow[]; readonly isDone: boolean } | undefined> {
    await this.database.locks?.keep().catch(() => undefined);
    const rows = await renewGuards(this.database, this.#holder, Date.now()).catch(() => undefined);
    if (rows === undefined) return undefined;
    const leftOver = rows.filter(({ owner }) => !this.#owners.has(owner));
    const deleted = await Promise.all(leftOver.map((row) => this.#tryToDelete(row)));
    return { rows, isDone: !deleted.includes(false) };
  }

  /** Whether the run that left a row has ended without deleting it. */
  async isGone(found: GuardRow): Promise<boolean> {
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

  /** Writes who has a thread from now on. Returns who has it already. */
  #insert(claim: GuardClaim): Promise<GuardRow | undefined> {
    const { locks } = this.database;
    return locks === undefined ? this.#insertRow(claim) : this.#insertLocked(claim, locks);
  }

  async #insertRow(claim: GuardClaim): Promise<GuardRow | undefined> {
    for (;;) {
      if (await insertGuard(this.database, claim)) return undefined;
      const found = await readGuard(this.database, claim.thread);
      if (found === undefined) continue;
      if (!(await this.isGone(found))) return found;
      if (await replaceGuard(this.database, found, claim)) return undefined;
    }
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

  #tryToDelete(row: Pick<GuardRow, "thread" | "owner">): Promise<boolean> {
    return deleteGuard(this.database, row).then(
      () => true,
      () => false,
    );
  }
}
