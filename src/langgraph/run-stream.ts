import type { RunnableConfig } from "@langchain/core/runnables";
import { AsyncGeneratorWithSetup, IterableReadableStream } from "@langchain/core/utils/stream";

/** What a guard reads of the options of a run. */
export interface RunOptions extends RunnableConfig {
  readonly context?: Readonly<Record<string, unknown>>;
  readonly encoding?: "text/event-stream";
}

/** Runs a graph. The values end after the last write. */
export type RunGraph = (input: unknown, options: RunOptions) => AsyncGenerator<unknown>;

/**
 * Makes the stream of a run. As with LangGraph's `stream` the run does not wait for its reader, a reader that leaves stops the
 * run, and a run that fails before its first value has no stream. But LangGraph tells the reader of an abort at once. Here
 * the reader learns it when the run has ended, and its thread is free.
 */
export async function streamOf(
  run: RunGraph,
  input: unknown,
  options: RunOptions,
): Promise<IterableReadableStream<unknown>> {
  const leaving = new AbortController();
  const signals = [options.signal, leaving.signal].filter((signal) => signal !== undefined);
  const generator = run(input, { ...options, signal: AbortSignal.any(signals) });
  const values = new AsyncGeneratorWithSetup({ generator, config: { ...options, signal: undefined } });
  await values.setup;
  let reading = Promise.resolve();
  const start = (stream: ReadableStreamDefaultController) => {
    reading = passOn(values, stream, leaving.signal);
    return reading;
  };
  const cancel = async (reason?: unknown) => {
    leaving.abort(reason);
    await reading.catch(() => undefined);
  };
  // A reader may call `cancel` while it reads.
  return Object.assign(new IterableReadableStream({ start, cancel }), { cancel });
}

async function passOn(
  values: AsyncIterable<unknown>,
  stream: ReadableStreamDefaultController,
  left: AbortSignal,
): Promise<void> {
  for await (const value of values) if (!left.aborted) stream.enqueue(value);
  if (!left.aborted) stream.close();
}
