/**
 * Runs something that Ctrl-C stops: the first one aborts the signal. The second finds no listener, so that it ends the
 * process at once.
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
