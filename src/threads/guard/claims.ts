import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../databases/database.js";
import { hasEnded, thisProcess } from "./process.js";
import {
  deleteGuard,
  type GuardClaim,
  type GuardRow,
  insertGuard,
  readGuard,
  readGuards,
  renewGuards,
  replaceGuard,
} from "./rows.js";

/** The times of a guard, in milliseconds. */
export interface GuardTimes {
  /** The time between two heartbeats of a run. At each heartbeat the run learns whether another run asked it to stop. */
  readonly heartbeat: number;
  /** The time without a sign of life after which a run counts as gone, if its process cannot be asked. */
  readonly expiry: number;
  /** The time between two looks of a run that waits for a thread. */
  readonly poll: number;
  /** The time that the tools of a run get to end after another run interrupted it. */
  readonly patience: number;
}

/** The guard rows that one opened database has written. Also tells whether the runs of other rows are gone. */
export class GuardClaims {
  readonly #holder: string;
  readonly #process = thisProcess();
  /** The runs whose rows count. A row of this holder with another owner could not be deleted before. */
  readonly #owners = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly times: GuardTimes,
  ) {
    this.#holder = database.listen?.name ?? randomUUID();
  }

  /** Takes a thread. Returns the new owner, or the row of the owner that has it. */
  async take(thread: string): Promise<string | GuardRow> {
    const claim = { thread, owner: randomUUID(), holder: this.#holder, ...this.#process };
    // The owner must be known before its row is in the database. Another call in this process may read the row.
    this.#owners.add(claim.owner);
    const found = await this.#insert(claim).catch((error: unknown) => {
      this.#owners.delete(claim.owner);
      throw error;
    });
    if (found === undefined) return claim.owner;
    this.#owners.delete(claim.owner);
    return found;
  }

  /** Releases a thread. Returns false if its row could not be deleted. {@link renew} tries again. */
  async free(thread: string, owner: string): Promise<boolean> {
    const isFree = await this.#tryToDelete({ thread, owner });
    this.#owners.delete(owner);
    return isFree;
  }

  /**
   * Gives a sign of life for all runs of this holder.
   *
   * @returns Their rows; undefined if the database cannot be reached. `isDone` is false if old rows still have to be
   *   deleted.
   */
  async renew(): Promise<{ readonly rows: GuardRow[]; readonly isDone: boolean } | undefined> {
    const keeping = this.database.listen?.keep().catch(() => undefined);
    const rows = await renewGuards(this.database, this.#holder).catch(() => undefined);
    await keeping;
    if (rows === undefined) return undefined;
    const leftOver = rows.filter(({ owner }) => !this.#owners.has(owner));
    const deleted = await Promise.all(leftOver.map((row) => this.#tryToDelete(row)));
    return { rows, isDone: !deleted.includes(false) };
  }

  /** Returns the rows whose run has ended without deleting its row. */
  async gone(found: readonly GuardRow[]): Promise<GuardRow[]> {
    const foreign = found.filter(({ holder }) => holder !== this.#holder);
    const holders = await this.database.listen?.gone(foreign.map(({ holder }) => holder));
    const hasRunEnded = (row: GuardRow) =>
      row.holder === this.#holder ? !this.#owners.has(row.owner) : hasEnded(row) || holders?.has(row.holder) === true;
    const ended = found.filter(hasRunEnded);
    const silent = found.filter((row) => !ended.includes(row) && row.silentMs >= this.times.expiry);
    return [...ended, ...(await this.#stillSilent(silent))];
  }

  /** Clocks can jump, also that of the database. So runs get the time of three heartbeats to renew their rows. */
  async #stillSilent(silent: readonly GuardRow[]): Promise<GuardRow[]> {
    if (silent.length === 0) return [];
    await sleep(3 * this.times.heartbeat);
    const now = new Map(
      (
        await readGuards(
          this.database,
          silent.map(({ thread }) => thread),
        )
      ).map((row) => [row.owner, row.renewedAt]),
    );
    return silent.filter(({ owner, renewedAt }) => now.get(owner) === renewedAt);
  }

  /** Writes the row for a claim. Returns the row of another owner if the thread is taken. */
  async #insert(claim: GuardClaim): Promise<GuardRow | undefined> {
    await this.database.listen?.keep();
    for (;;) {
      if (await insertGuard(this.database, claim)) return undefined;
      const found = await readGuard(this.database, claim.thread);
      if (found === undefined) continue;
      // The answer to the first insert may have been lost.
      if (found.owner === claim.owner) return undefined;
      if ((await this.gone([found])).length === 0) return found;
      if (await replaceGuard(this.database, found, claim)) return undefined;
    }
  }

  #tryToDelete(row: Pick<GuardRow, "thread" | "owner">): Promise<boolean> {
    return deleteGuard(this.database, row).then(
      () => true,
      () => false,
    );
  }
}
