import { ModelError } from "../../base/errors.js";
import type { ModelServer, Timeouts } from "../parts/models.js";

const commandLineOptions: Readonly<Record<keyof Timeouts, string>> = {
  firstTokenMs: "--first-token-timeout",
  betweenTokensMs: "--token-timeout",
  totalMs: "--timeout",
};

/** One try of a model call. It ends when its time is over, or when the run is aborted. */
export class Try {
  readonly #controller = new AbortController();
  readonly #abort = () => this.#controller.abort(this.runSignal?.reason);
  #timer: NodeJS.Timeout | undefined;
  #late: ModelError | undefined;

  /**
   * @param time The time limits of the call, and the milliseconds that are left of it.
   * @param runSignal The signal of the run.
   * @param server The server of the model.
   */
  constructor(
    private readonly time: { readonly timeouts: Required<Timeouts>; left(): number },
    private readonly runSignal: AbortSignal | undefined,
    private readonly server: Pick<ModelServer, "name">,
  ) {
    // `AbortSignal.any` costs more, in each step.
    if (runSignal?.aborted) this.#abort();
    runSignal?.addEventListener("abort", this.#abort);
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
    const left = this.time.left();
    const [name, words] = this.time.timeouts[limit] < left ? [limit, missed] : (["totalMs", "did not finish"] as const);
    const milliseconds = this.time.timeouts[name];
    this.#timer = setTimeout(
      () => {
        this.#late = new ModelError("timeout", `${this.server.name()} ${words} within ${milliseconds / 1_000} s.`, {
          advice: `Ask again, or allow it more time (${commandLineOptions[name]}; in a program modelCalls.timeouts.${name}).`,
        });
        this.#controller.abort(this.#late);
      },
      Math.min(this.time.timeouts[limit], Math.max(0, left)),
    );
  }
}
