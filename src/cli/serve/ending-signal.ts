const signals = ["SIGINT", "SIGTERM"] as const;

/** Waits for the first signal that asks the process to end. A second one, of either kind, ends it at once. */
export function endingSignal(): Promise<(typeof signals)[number]> {
  return new Promise((resolve) => {
    function end(signal: NodeJS.Signals): void {
      for (const name of signals) process.off(name, end);
      resolve(signal === "SIGTERM" ? "SIGTERM" : "SIGINT");
    }
    for (const name of signals) process.on(name, end);
  });
}
