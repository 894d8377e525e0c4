import { addAbortListener } from "node:events";

/** Waits for a promise, but no longer than a signal allows. @throws The reason of the signal, if it aborts first. */
export async function untilAborted<T>(promise: T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  let leave = () => {};
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason);
  });
  using _listener = addAbortListener(signal, leave);
  return await Promise.race([promise, aborted]);
}
