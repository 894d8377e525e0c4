import { setTimeout as sleep } from "node:timers/promises";
import { ThreadsDatabaseError } from "../base/errors.js";
import { type ThreadCheckpointer, testWriting } from "../threads/runs/index.js";
import type { RunEngine } from "./engine/run-engine.js";
import { RequestError } from "./wire/request-error.js";

/** In milliseconds. */
const KEPT = 1_000;
const LONGEST = 5_000;
const SILENT = 15_000;

/** Tells whether a server takes runs, and whether its database can be written. It writes at most once a second, however often it is asked. */
export class Health {
  #asked: Promise<void> | undefined;
  #until = 0;
  #isEnding = false;

  constructor(
    private readonly checkpointer: ThreadCheckpointer,
    private readonly engine: Pick<RunEngine, "silentMs">,
  ) {}

  /** Says from now on that the server ends, so that what stands before it sends no further requests. */
  end(): void {
    this.#isEnding = true;
  }

  /**
   * @throws ThreadsDatabaseError if the database cannot be written, or does not answer for five seconds; RequestError 503 if the
   *   server ends, or has not been able to look for runs for 15 seconds.
   */
  check(): Promise<void> {
    if (this.#isEnding) throw new RequestError(503, "The server ends.");
    const { silentMs } = this.engine;
    if (silentMs > SILENT) {
      throw new RequestError(
        503,
        `The server takes no runs: it could not look for them for ${Math.round(silentMs / 1_000)} s.`,
      );
    }
    if (this.#asked === undefined || Date.now() > this.#until) {
      this.#until = Date.now() + KEPT;
      this.#asked = this.#write();
      this.#asked.catch(() => undefined);
    }
    return this.#asked;
  }

  async #write(): Promise<void> {
    const { database } = this.checkpointer;
    const waiting = new AbortController();
    const late = sleep(LONGEST, undefined, { signal: waiting.signal }).then(() => {
      throw new ThreadsDatabaseError(database.place, `it did not answer for ${LONGEST / 1_000} seconds.`);
    });
    late.catch(() => undefined);
    await Promise.race([testWriting(database), late]).finally(() => waiting.abort());
  }
}
