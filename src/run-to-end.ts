import { ReadableStream } from "node:stream/web";

/**
 * Runs a generator to its end, whether what it yields is read, left unread or no longer wanted. What it yielded before it
 * failed is all read before the error is thrown.
 *
 * @param onEnd Called once, when the generator has ended in whatever way, before the reader learns of it.
 * @param signal What made the generator fail, when it is aborted: its reason is thrown then.
 */
export async function* runToEnd<T>(
  source: AsyncGenerator<T>,
  onEnd: () => Promise<void>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  let wanted = true;
  let failure: { readonly error: unknown } | undefined;

  async function run(forward: (value: T) => void): Promise<void> {
    try {
      for await (const value of source) if (wanted) forward(value);
    } catch (error) {
      failure = { error: signal.aborted ? signal.reason : error };
    }
    await onEnd();
  }

  let running: Promise<void> = Promise.resolve();
  const values = new ReadableStream<T>({
    start(controller) {
      running = run((value) => controller.enqueue(value)).then(() => {
        if (wanted) controller.close();
      });
    },
    cancel() {
      wanted = false;
    },
  });
  try {
    yield* values;
  } finally {
    await running;
  }
  if (failure) throw failure.error;
}
