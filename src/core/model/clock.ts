import { ModelError } from "../../base/errors.js";
import type { ModelServer, Timeouts } from "../parts/models.js";
import { type Asked, takeTime } from "../state/times.js";

const commandLineOptions: Readonly<Record<keyof Timeouts, string>> = {
  firstTokenMs: "--first-token-timeout",
  betweenTokensMs: "--token-timeout",
  totalMs: "--timeout",
};

/** The clock of a model call. It ends a try when its time is over, or when the run is aborted. */
export class Clock {
  readonly #end: number;
  readonly #taken = takeTime();
  #tries = 0;
  #firstMs: number | undefined;
  readonly #abort = () => this.#controller.abort(this.runSignal?.reason);
  #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #late: ModelError | undefined;

  /**
   * @param timeouts The time limits of the call. It begins now.
   * @param runSignal The signal of the run.
   */
  constructor(
    private readonly timeouts: Required<Timeouts>,
    private readonly runSignal: AbortSignal | undefined,
    private readonly server: Pick<ModelServer, "name">,
  ) {
    this.#end = performance.now() + timeouts.totalMs;
  }

  /** The milliseconds that are left of the call. */
  get left(): number {
    return this.#end - performance.now();
  }

  /** The times of the call so far, with all its tries. */
  get times(): Asked["times"] {
    const [tries, firstMs] = [this.#tries, this.#firstMs];
    return { ...this.#taken(), ...(firstMs !== undefined && { firstMs }), ...(tries > 1 && { tries }) };
  }

  /** Begins a try. */
  begin(): void {
    this.#tries += 1;
    this.#firstMs = undefined;
    this.#controller = new AbortController();
    this.#late = undefined;
    // `AbortSignal.any` costs more, in each step.
    if (this.runSignal?.aborted) this.#abort();
    this.runSignal?.addEventListener("abort", this.#abort);
    this.#await("totalMs", "did not answer");
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The stream has begun: the first token is awaited. */
  awaitFirstToken(): void {
    this.#await("firstTokenMs", "sent nothing");
  }

  /** A token came. */
  heard(): void {
    this.#firstMs ??= this.#taken().ms;
    this.#await("betweenTokensMs", "sent no more of its reply");
  }

  /** Ends the try: the rest of the reply is of no use. */
  cutOff(): void {
    this.#controller.abort();
  }

  /** Stops the clock. The run goes on without this try. */
  end(): void {
    clearTimeout(this.#timer);
    this.runSignal?.removeEventListener("abort", this.#abort);
  }

  /** Returns what to throw for an error of the try: a passed time limit is the cause of all that follows. */
  explain(error: unknown): unknown {
    return this.#late ?? error;
  }

  #await(limit: keyof Timeouts, missed: string): void {
    clearTimeout(this.#timer);
    const { timeouts, left } = this;
    const [name, words] = timeouts[limit] < left ? [limit, missed] : (["totalMs", "did not finish"] as const);
    const milliseconds = timeouts[name];
    this.#timer = setTimeout(
      () => {
        this.#late = new ModelError("timeout", `${this.server.name()} ${words} within ${milliseconds / 1_000} s.`, {
          advice: `Ask again, or allow it more time (${commandLineOptions[name]}; in a program modelCalls.timeouts.${name}).`,
        });
        this.#controller.abort(this.#late);
      },
      Math.min(timeouts[limit], Math.max(0, left)),
    );
  }
}

/** Returns the time limits of a model call that may not take longer than its turn. */
export function timeoutsWithin(timeouts: Required<Timeouts>, left: number): Required<Timeouts> {
  return left < timeouts.totalMs ? { ...timeouts, totalMs: Math.max(1, Math.ceil(left)) } : timeouts;
}
