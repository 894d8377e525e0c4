import { RequestError } from "../wire/request-error.js";

/** The places for streams of events, which are open for long. */
export class StreamPlaces {
  #open = 0;

  constructor(private readonly most: number) {}

  get open(): number {
    return this.#open;
  }

  /** Takes a place. Returns the function that gives it back. @throws RequestError 503 */
  take(): () => void {
    if (this.#open >= this.most) throw new RequestError(503, `${this.most} streams are open. Try again later.`);
    this.#open += 1;
    return () => {
      this.#open -= 1;
    };
  }
}
