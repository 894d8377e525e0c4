import type { RunControl } from "@langchain/langgraph";

/** The options of {@link drainOnSignal}. */
export interface DrainOptions {
  /** The signal. Default: `"SIGTERM"`. */
  readonly signal?: NodeJS.Signals;
  /** Called when the signal arrives, before the run stops. Use it to tell the user. */
  readonly onDrain?: () => void;
}

/**
 * Stops a run cleanly when the process is asked to end. At the first signal the run finishes its current node and then
 * throws a `GraphDrained`. Invoking its thread with `null` continues from there. A second signal has its usual effect:
 * it ends the process at once. The thread survives this, too.
 *
 * @param control The control of the run, given to the run as `{ control }`. Make a new control for each run: a drained
 *   control stays drained.
 * @returns A function that stops listening for the signal. Call it when the run has ended.
 * @example
 * const control = new RunControl();
 * const stopListening = drainOnSignal(control);
 * try {
 *   await agent.invoke(input, { configurable: { thread_id: "t1" }, control });
 * } catch (error) {
 *   if (!isGraphDrained(error)) throw error;
 *   console.log('Stopped. Go on with: agent.invoke(null, { configurable: { thread_id: "t1" } })');
 * } finally {
 *   stopListening();
 * }
 */
export function drainOnSignal(control: RunControl, { signal = "SIGTERM", onDrain }: DrainOptions = {}): () => void {
  const drain = () => {
    control.requestDrain(signal);
    onDrain?.();
  };
  process.once(signal, drain);
  return () => process.off(signal, drain);
}
