/** A look at the database that is made again and again: one at a time, and once more if it was asked for meanwhile. */
export class Looking {
  #looking: Promise<void> | undefined;
  #looksAgain = false;
  #isClosed = false;
  #succeededAt = performance.now();

  constructor(private readonly look: () => Promise<void>) {}

  /** The time since a look succeeded, in milliseconds. */
  get age(): number {
    return performance.now() - this.#succeededAt;
  }

  /** Looks, or has a look follow that has begun. */
  now(): void {
    if (this.#isClosed) return;
    this.#looksAgain = this.#looking !== undefined;
    this.#looking ??= this.look()
      .then(() => {
        this.#succeededAt = performance.now();
      })
      // A database that cannot be reached is asked again at the next look.
      .catch(() => undefined)
      .finally(() => {
        this.#looking = undefined;
        if (this.#looksAgain) this.now();
      });
  }

  /** Waits for the look that has begun. None follows. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#looking;
  }
}
