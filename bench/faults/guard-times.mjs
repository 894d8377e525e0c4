// Short times for the guard, so that a takeover takes seconds and not half a minute.

/** Changes the times of all guards in this process: they share one object. */
export function shortenGuard(threads) {
  Object.assign(threads.checkpointer.guard.times, { heartbeat: 200, expiry: 1_500 });
}
