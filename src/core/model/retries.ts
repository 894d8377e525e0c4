import { setTimeout as wait } from "node:timers/promises";
import { ModelError, type ModelErrorKind } from "../../base/errors.js";
import { retryAfterMs } from "../../model/model-errors.js";
import type { EventDetails } from "../run/events.js";

const passing: ReadonlySet<ModelErrorKind> = new Set(["rate-limit", "server", "timeout", "interrupted"]);
const firstWaitMs = 1_000;
const longestWaitMs = 30_000;

export interface RetryOptions {
  /** The largest number of tries after the first one. */
  readonly maxRetries: number;
  /** The milliseconds that are left for the call, with all its tries. */
  readonly timeLeft: () => number;
  readonly signal: AbortSignal | undefined;
  readonly tell: (retry: EventDetails<"retry">) => void;
}

/**
 * Asks a model, and asks it again after a passing failure. The wait doubles each time, from one second on, with some
 * chance in it. It is longer if the server wants that, up to 30 s. A server that wants more is not asked again.
 *
 * @param ask Asks once. It throws a {@link ModelError} if the model fails.
 */
export async function withRetries<Answer>(
  ask: () => Promise<Answer>,
  { maxRetries, timeLeft, signal, tell }: RetryOptions,
): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ModelError) || tries > maxRetries || signal?.aborted) throw error;
      const milliseconds = waitAfter(error, tries);
      if (milliseconds === undefined || milliseconds >= timeLeft()) throw error;
      tell({ type: "retry", attempt: tries + 1, why: error.problem, milliseconds });
      await wait(milliseconds, undefined, { signal });
    }
  }
}

/** Returns the milliseconds to wait after a failed try; undefined if a new try is of no use. */
function waitAfter({ kind, cause }: ModelError, tries: number): number | undefined {
  if (!passing.has(kind)) return undefined;
  const backoff = firstWaitMs * 2 ** (tries - 1) * (1 + Math.random() / 4);
  const milliseconds = Math.round(Math.max(retryAfterMs(cause) ?? 0, backoff));
  return milliseconds > longestWaitMs ? undefined : milliseconds;
}
