/**
 * Runs an action that Ctrl-C stops. The first Ctrl-C aborts the signal. The second one finds no listener, and so ends
 * the process at once.
 */
export async function interruptible<T>(run: (interrupted: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const interrupt = () => controller.abort();
  process.once("SIGINT", interrupt);
  try {
    return await run(controller.signal);
  } finally {
    process.off("SIGINT", interrupt);
  }
}
