import { setTimeout as sleep } from "node:timers/promises";
import { ThreadsDatabaseError } from "../base/errors.js";
import type { ThreadCheckpointer } from "../threads/checkpoints/checkpointer.js";
import { testWriting } from "../threads/runs/write-test.js";
import { RequestError } from "./wire/request-error.js";

/** In milliseconds. */
const KEPT = 1_000;
const LONGEST = 5_000;

/** Tells whether the database of a server can be written. It writes at most once a second, however often it is asked. */
export class Health {
  #asked: Promise<void> | undefined;
  #until = 0;
  #isEnding = false;

  constructor(private readonly checkpointer: ThreadCheckpointer) {}

  /** Says from now on that the server ends, so that what stands before it sends no further requests. */
  end(): void {
    this.#isEnding = true;
  }

  /**
   * @throws ThreadsDatabaseError if the database cannot be written, or does not answer for five seconds; RequestError 503 if the
   *   server ends.
   */
  check(): Promise<void> {
    if (this.#isEnding) throw new RequestError(503, "The server ends.");
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
