import { setTimeout as sleep } from "node:timers/promises";

/** Tries until it works, for a minute: the server may be killed at any moment. An answer that no server gives then is thrown. */
export async function insist(action) {
  for (const until = Date.now() + 60_000; ; ) {
    try {
      return await action();
    } catch (error) {
      const isRefused = error.status >= 400 && error.status < 500;
      if (isRefused || Date.now() > until) throw error;
      await sleep(50);
    }
  }
}

/** Returns nothing if the error says that a run is gone, as one is that was rolled back. */
export function ignoreGone(error) {
  if (error.status !== 404) throw error;
}
