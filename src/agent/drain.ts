import type { RunControl } from "@langchain/langgraph";

/** What {@link drainOnSignal} can be told. */
export interface DrainOptions {
  /** The signal; `"SIGTERM"` unless given. */
  readonly signal?: NodeJS.Signals;
  /** Called when the signal came, before the run has stopped: the place to say so. */
  readonly onDrain?: () => void;
}

/**
 * Ends a run in good order when the process is asked to end: at the first signal it stops after the node that is at work,
 * with a `GraphDrained`, and goes on from there when its thread is invoked with `null`. From then on the signal has its
 * usual effect, which is to end the process at once; a thread survives that, too.
 *
 * @param control The run's control, given to it as `{ control }`. Take a new one for each run: a drained one stays so.
 * @returns Stops listening. Call it when the run has ended.
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
