import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { ModelError, type ModelErrorKind } from "../../base/errors.js";
import { isRecord } from "../../base/is-record.js";
import { retryAfterMs } from "../../model/model-errors.js";
import type { EventDetails } from "../run/events.js";
import { perModel } from "./per-model.js";

const passing: ReadonlySet<ModelErrorKind> = new Set(["rate-limit", "server", "timeout", "interrupted"]);
const firstWaitMs = 1_000;
const longestWaitMs = 30_000;

export interface RetryOptions {
  /** The largest number of tries after the first one. */
  readonly maxRetries: number;
  /** The milliseconds that are left for the call, with all its tries. */
  readonly timeLeft: () => number;
  readonly signal: AbortSignal | undefined;
  readonly emit: (retry: EventDetails<"retry">) => void;
}

/**
 * Asks a model, and asks it again after a passing failure. The wait doubles each time, from one second on, with some
 * chance in it. It is longer if the server wants that, up to 30 s. A server that wants more is not asked again.
 *
 * @param ask Asks once. It throws a {@link ModelError} if the model fails.
 */
export async function withRetries<Answer>(
  ask: () => Promise<Answer>,
  { maxRetries, timeLeft, signal, emit }: RetryOptions,
): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ModelError) || tries > maxRetries || signal?.aborted) throw error;
      const milliseconds = waitAfter(error, tries);
      if (milliseconds === undefined || milliseconds >= timeLeft()) throw error;
      emit({ type: "retry", attempt: tries + 1, why: error.problem, milliseconds });
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

type OnFailedAttempt = (error: unknown) => unknown;

const callerSchema = z.object({
  maxRetries: z.number(),
  onFailedAttempt: z.custom<OnFailedAttempt>((value) => typeof value === "function"),
});

type Caller = z.infer<typeof callerSchema>;

/** Returns the number of retries for which a model is set; undefined if it does not say. */
export function ownRetries(model: object): number | undefined {
  return callersOf(model)[0]?.maxRetries;
}

const isAsking = new AsyncLocalStorage<true>();
const prepared = new WeakSet<object>();

/**
 * Asks a model once. LangChain retries deep inside a model, in silence. So it would multiply the retries of an agent. A
 * model that Glassloop asks does not do that. For everybody else it stays as it is.
 */
export function askOnce<Answer>(model: object, ask: () => Promise<Answer>): Promise<Answer> {
  for (const caller of callersOf(model)) {
    if (prepared.has(caller)) continue;
    prepared.add(caller);
    const { onFailedAttempt } = caller;
    caller.onFailedAttempt = (error) => {
      if (isAsking.getStore()) throw error;
      return onFailedAttempt.call(caller, error);
    };
  }
  return isAsking.run(true, ask);
}

/** Returns LangChain's callers in a model. `ChatOpenAI` has one for each of its two APIs, too. */
const callersOf = perModel(findCallers);

function findCallers(whole: unknown): Caller[] {
  return [whole, part(whole, "completions"), part(whole, "responses")]
    .map((owner) => part(owner, "caller"))
    .filter(isCaller);
}

function part(owner: unknown, name: string): unknown {
  return isRecord(owner) ? owner[name] : undefined;
}

function isCaller(value: unknown): value is Caller {
  return callerSchema.safeParse(value).success;
}
