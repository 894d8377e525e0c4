import type { RunnableConfig } from "@langchain/core/runnables";
import { isInterrupted, type StreamMode } from "@langchain/langgraph";
import { runFor, withRun } from "../run/run.js";

/**
 * Returns the options of `stream`, with their signal in the run. LangGraph tells the reader of a stream at once when its own
 * `signal` aborts. Here the reader learns it when the run has ended.
 */
export function withSignalInside(options: RunnableConfig = {}): RunnableConfig {
  const { signal, ...others } = options;
  if (signal === undefined) return options;
  const run = runFor(options);
  run.stopOn(signal);
  return withRun(others, run);
}

interface InvokeOptions extends RunnableConfig {
  readonly streamMode?: StreamMode | readonly StreamMode[] | undefined;
}

/**
 * Returns the options of `invoke`, with a run that gives only the last values. For `invoke` LangGraph reads a stream, of
 * which the caller sees only the last value. Each value costs about 30 promises on its way through the streams of LangGraph
 * and LangChain.
 */
export function withOnlyLast(options: InvokeOptions = {}): InvokeOptions {
  if (options.configurable === undefined || (options.streamMode ?? "values") !== "values") return options;
  const run = runFor(options);
  run.onlyLast = true;
  return withRun(options, run);
}

/**
 * Runs a generator to its end, even if the reader of its values leaves early. Yields all values from before an error,
 * and then throws the error.
 *
 * @param onEnd Called once when the generator has ended or failed, before the reader learns of it. An error in `onEnd`
 *   is thrown, unless the generator failed first.
 * @param signal The signal that can make the generator fail. If it is aborted, its reason is thrown in place of the
 *   error.
 * @param onlyLast Whether to yield only the last value and the interrupts; false by default.
 */
export async function* runToEnd<T>(
  source: Promise<AsyncGenerator<T>>,
  onEnd: () => Promise<void>,
  signal: AbortSignal,
  onlyLast = false,
): AsyncGenerator<T> {
  const unread: T[] = [];
  let last: T[] = [];
  let wanted = true;
  let ended = false;
  let failure: { readonly error: unknown } | undefined;
  let wake = () => {};

  async function run(): Promise<void> {
    try {
      for await (const value of await source) {
        if (onlyLast && !isInterrupted(value)) {
          last = [value];
          continue;
        }
        if (wanted) unread.push(value);
        wake();
      }
    } catch (error) {
      failure = { error: signal.aborted ? signal.reason : error };
    }
    await onEnd().catch((error: unknown) => {
      failure ??= { error };
    });
    unread.push(...last);
    ended = true;
    wake();
  }

  const running = run();
  try {
    for (;;) {
      for (const value of unread.splice(0)) yield value;
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
