import { setTimeout as wait } from "node:timers/promises";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { RunnableConfig } from "@langchain/core/runnables";
import { ModelError, type ModelErrorKind } from "../../base/errors.js";
import { keepSecretsIn } from "../../base/secrets/known-secrets.js";
import { askOnce, ownRetries, perModel } from "../../langgraph/chat-models.js";
import type { CallLimits, Models, NamedModel } from "../parts/models.js";
import type { Purpose } from "../run/events.js";
import { runOf, usageOf } from "../run/run.js";
import type { Note } from "../run/tracing.js";
import { UsageCounter } from "../run/usage-counter.js";
import { Try } from "./timeouts.js";

/** A chat model, with or without bound tools and settings. */
export type AskedModel = Pick<BaseChatModel, "invoke" | "stream">;

/** A call of one model. */
export interface ModelCall {
  readonly model: NamedModel;
  readonly limits: CallLimits;
  readonly config: RunnableConfig;
}

const mostRetries = 2;

/** Takes note of the keys of a model, once. */
const keepSecretsOf = perModel((model) => keepSecretsIn(model));

/** Takes note of the keys of models that are not asked yet. One that cannot be loaded fails when it is asked. */
export async function keepSecretsOfModels({ load }: Pick<Models, "load">): Promise<void> {
  for (const { model } of await load().catch(() => [])) keepSecretsOf(model);
}

/**
 * Makes a model call with all its retries, in a span. Emits the start, each retry and the end, and adds up the usage.
 *
 * @param asked The model that the tries ask. It may be a copy, as some classes make one to bind tools to it.
 */
export function callModel<Answer>(
  purpose: Purpose,
  asked: AskedModel,
  { model: { name, model, server }, limits, config }: ModelCall,
  attempt: (tried: Try, usage: UsageCounter, note: Note) => Promise<Answer>,
): Promise<Answer> {
  keepSecretsOf(model);
  const { maxRetries = Math.min(mostRetries, ownRetries(model) ?? 0), timeouts } = limits;
  const { signal } = config;
  const run = runOf(config);
  const usage = new UsageCounter();
  const end = performance.now() + timeouts.totalMs;
  const time = { timeouts, left: () => end - performance.now() };
  async function once(note: Note): Promise<Answer> {
    const tried = new Try(time, signal, server);
    try {
      return await askOnce(asked, () => attempt(tried, usage, note));
    } catch (error) {
      throw server.explain(tried.explain(error), signal);
    } finally {
      tried.end();
    }
  }
  async function withTries(note: Note): Promise<Answer> {
    run.emit({ type: "model-start", purpose, model: name });
    try {
      return await withRetries(() => once(note), maxRetries, time, { purpose, config });
    } finally {
      const { models, toolCalls, modelCalls, ...tokens } = usage.spent;
      run.emit({ type: "model-end", purpose, model: name, ...(modelCalls > 0 && tokens) });
      if (modelCalls > 0) note({ tokens });
      usageOf(config).add(usage.spent);
    }
  }
  return run.tracing.span({ kind: "model", name, provider: server.provider(), purpose }, withTries);
}

const passing: ReadonlySet<ModelErrorKind> = new Set(["rate-limit", "server", "timeout", "interrupted"]);
const firstWaitMs = 1_000;
const longestWaitMs = 30_000;

/**
 * Asks a model, and asks it again after a passing failure. The wait starts at one second and doubles each time, with jitter.
 * A server may ask for a longer wait, up to 30 s; one that asks for more is not asked again.
 *
 * @param ask Asks once. It throws a {@link ModelError} if the model fails.
 * @param time The milliseconds that are left for the call, with all its tries.
 */
async function withRetries<Answer>(
  ask: () => Promise<Answer>,
  maxRetries: number,
  time: { left(): number },
  { purpose, config }: { readonly purpose: Purpose; readonly config: RunnableConfig },
): Promise<Answer> {
  const { signal } = config;
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ModelError) || tries > maxRetries || signal?.aborted) throw error;
      const milliseconds = waitAfter(error, tries);
      if (milliseconds === undefined || milliseconds >= time.left()) throw error;
      runOf(config).emit({ type: "retry", purpose, attempt: tries + 1, why: error.problem, milliseconds });
      await wait(milliseconds, undefined, { signal });
    }
  }
}

/** Returns the milliseconds to wait after a failed try; undefined if a new try is of no use. */
function waitAfter({ kind, retryAfterMs = 0 }: ModelError, tries: number): number | undefined {
  if (!passing.has(kind)) return undefined;
  const backoff = firstWaitMs * 2 ** (tries - 1) * (1 + Math.random() / 4);
  const milliseconds = Math.round(Math.max(retryAfterMs, backoff));
  return milliseconds > longestWaitMs ? undefined : milliseconds;
}
