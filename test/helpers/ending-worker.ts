import { ForksPoolWorker, type PoolRunnerInitializer, type WorkerRequest } from "vitest/node";

const name = "forks that end";

/**
 * A worker of Vitest that always ends. Vitest waits a minute for the last answer of a worker, also of one that has ended already:
 * it stops listening for the end of a worker before it asks for that answer. Here the end of the process is the answer, and a
 * worker that gives none is ended. Both are told on the screen.
 */
class EndingWorker extends ForksPoolWorker {
  /** Files share a worker only if its name is the one of their pool. */
  override readonly name = name;
  #end: string | undefined;
  readonly #hearers = new Set<(message: unknown) => void>();

  override async start(): Promise<void> {
    await super.start();
    // The event has two arguments: the code, or the signal.
    super.on("exit", (...[code, signal]: readonly [number | null, NodeJS.Signals?]) => {
      this.#end = code === null ? `was ended by ${signal}` : `ended with code ${code}`;
    });
  }

  override on(event: string, hear: (message: unknown) => void): void {
    if (event === "message") this.#hearers.add(hear);
    super.on(event, hear);
  }

  override off(event: string, hear: (message: unknown) => void): void {
    this.#hearers.delete(hear);
    super.off(event, hear);
  }

  override send(message: WorkerRequest): void {
    if (this.#end !== undefined) {
      if (message.type === "stop") this.#answerFor(this.#end);
      return;
    }
    if (message.type === "stop") {
      const limit = setTimeout(() => this.#answerFor("does not answer"), 10_000);
      const isEnding = () => this.#answerFor(this.#end ?? "ended");
      super.on("exit", isEnding);
      super.on("exit", () => clearTimeout(limit));
      super.on("message", ({ type }) => {
        if (type !== "stopped") return;
        clearTimeout(limit);
        super.off("exit", isEnding);
      });
    }
    super.send(message);
  }

  override async stop(): Promise<void> {
    if (this.#end === undefined) await super.stop();
  }

  #answerFor(what: string): void {
    const hearers = [...this.#hearers];
    this.#hearers.clear();
    if (hearers.length > 0) console.error(`A worker of Vitest ${what} after its last test.`);
    for (const hear of hearers) hear({ type: "stopped", __vitest_worker_response__: true });
  }
}

export const endingWorkers: PoolRunnerInitializer = {
  name,
  createPoolWorker: (options) => new EndingWorker(options),
};
