import { parentPort, Worker } from "node:worker_threads";

/** How a reading ended: at its end, at the end of its time, by the signal, for want of memory, or by a failure. */
export type ReadingEnd = "done" | "late" | "stopped" | "memory" | "failed";

/** What was read, and how the reading ended. */
export interface Reading<Text> {
  /** The last text that the reader gave; undefined if there was none. */
  readonly best: Text | undefined;
  readonly end: ReadingEnd;
}

/** What the thread says of an input: a text, or how its reading ended. */
type Message<Text> = { readonly text: Text } | { readonly end: ReadingEnd };

/**
 * A worker thread that reads one input after the other, each in a limited time. It is started for the first input, and again
 * after one that had to be stopped. It does not keep the process alive.
 */
export class ReadingThread<Input, Text> {
  #worker: Worker | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /**
   * @param program The file that reads, with `serveReader`.
   * @param megabytes The largest heap.
   */
  constructor(
    private readonly program: URL,
    private readonly megabytes: number,
  ) {}

  /**
   * Reads an input, after those before it. Never throws.
   *
   * @param moved The memory of the input that moves to the thread, where it would take long to copy.
   */
  read(
    input: Input,
    longestMs: number,
    signal?: AbortSignal,
    moved: readonly ArrayBuffer[] = [],
  ): Promise<Reading<Text>> {
    const reading = this.#last.then(() => this.#run(input, longestMs, signal, moved));
    this.#last = reading;
    return reading;
  }

  /** Ends the thread. An input that is being read has failed then. */
  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  async #run(
    input: Input,
    longestMs: number,
    signal: AbortSignal | undefined,
    moved: readonly ArrayBuffer[],
  ): Promise<Reading<Text>> {
    if (signal?.aborted) return { best: undefined, end: "stopped" };
    this.#worker ??= this.#start();
    const reading = readingOf<Text>(this.#worker, longestMs, signal);
    this.#worker.postMessage(input, moved);
    if ((await reading).end !== "done") await this.close();
    return reading;
  }

  #start(): Worker {
    // With a small stack the libraries soon give up inputs of thousands of levels.
    const resourceLimits = { maxOldGenerationSizeMb: this.megabytes, stackSizeMb: 1 };
    const worker = new Worker(this.program, { execArgv: [], resourceLimits });
    worker.on("error", () => {});
    worker.on("exit", () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    return worker;
  }
}

/** Hears what the worker says of its next input. Until then the process does not end. */
async function readingOf<Text>(
  worker: Worker,
  longestMs: number,
  signal: AbortSignal | undefined,
): Promise<Reading<Text>> {
  let best: Text | undefined;
  const over = new AbortController();
  const end = await new Promise<ReadingEnd>((resolve) => {
    const once = { once: true, signal: over.signal };
    const timer = setTimeout(resolve, longestMs, "late");
    over.signal.addEventListener("abort", () => clearTimeout(timer));
    signal?.addEventListener("abort", () => resolve("stopped"), once);
    const hear = (message: Message<Text>) => {
      if ("end" in message) resolve(message.end);
      else best = message.text;
    };
    const fail = (error: Error) => resolve(isOutOfMemory(error) ? "memory" : "failed");
    const leave = () => resolve("failed");
    worker.on("message", hear).on("error", fail).on("exit", leave);
    over.signal.addEventListener("abort", () => worker.off("message", hear).off("error", fail).off("exit", leave));
    worker.ref();
  });
  over.abort();
  worker.unref();
  return { best, end };
}

function isOutOfMemory(error: Error): boolean {
  return "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
}

/**
 * Reads in this worker thread what it is sent.
 *
 * @param read Reads an input. Yields texts, each better than the one before.
 */
export function serveReader<Input, Text>(read: (input: Input) => AsyncIterable<Text>): void {
  const say = (message: Message<Text>) => parentPort?.postMessage(message);
  parentPort?.on("message", async (input: Input) => {
    try {
      for await (const text of read(input)) say({ text });
      say({ end: "done" });
    } catch {
      say({ end: "failed" });
    }
  });
}
