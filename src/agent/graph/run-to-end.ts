/**
 * Runs a generator to its end, whether what it yields is read, left unread or no longer wanted. What it yielded before it
 * failed is all read before the error is thrown.
 *
 * @param onEnd Called once, when the generator has ended in whatever way, before the reader learns of it. What it throws is
 *   thrown, unless the generator failed.
 * @param signal What made the generator fail, when it is aborted: its reason is thrown then.
 */
export async function* runToEnd<T>(
  source: AsyncGenerator<T>,
  onEnd: () => Promise<void>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const unread: T[] = [];
  let wanted = true;
  let ended = false;
  let failure: { readonly error: unknown } | undefined;
  let wake = () => {};

  async function run(): Promise<void> {
    try {
      for await (const value of source) {
        if (wanted) unread.push(value);
        wake();
      }
    } catch (error) {
      failure = { error: signal.aborted ? signal.reason : error };
    }
    await onEnd().catch((error: unknown) => {
      failure ??= { error };
    });
    ended = true;
    wake();
  }

  const running = run();
  try {
    for (;;) {
      yield* unread.splice(0);
      if (unread.length > 0) continue;
      if (ended) break;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    wanted = false;
    unread.length = 0;
    await running;
  }
  if (failure) throw failure.error;
}
