import { AsyncLocalStorage } from "node:async_hooks";
import type { EventDetails } from "../turn/events.js";

/** The tries of one model call. */
interface Tries {
  failed: number;
  readonly tell: (retry: EventDetails<"retry">) => void;
}

/**
 * The tries of the model call at work. LangChain tries again deep inside a model, and tells it only the error. It gives
 * no way to pass on whose call it was.
 */
const atWork = new AsyncLocalStorage<Tries>();

/** Asks a model, and tells each new try of this call. */
export function followRetries<Answer>(tell: Tries["tell"], ask: () => Promise<Answer>): Promise<Answer> {
  return atWork.run({ failed: 0, tell }, ask);
}

/**
 * Takes note of a failed try of the model call at work. It is told, unless it was the last one.
 *
 * @param why The reason of the failure, as a sentence.
 * @param maxRetries The number of tries after the first one.
 * @param retryAfterMs The wait that the provider wants.
 */
export function noteFailedTry(why: string, maxRetries: number, retryAfterMs: number): void {
  const tries = atWork.getStore();
  if (tries === undefined) return;
  tries.failed += 1;
  if (tries.failed > maxRetries) return;
  const milliseconds = Math.max(retryAfterMs, firstWaitMs * 2 ** (tries.failed - 1));
  tries.tell({ type: "retry", attempt: tries.failed + 1, why, milliseconds });
}

/** The shortest first wait of LangChain. Each next wait is twice as long. */
const firstWaitMs = 1_000;
