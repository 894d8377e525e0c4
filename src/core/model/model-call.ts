import { setTimeout as wait } from "node:timers/promises";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { ModelError, type ModelErrorKind } from "../../base/errors.js";
import { keepSecretsIn } from "../../base/secrets/known-secrets.js";
import { askOnce, ownRetries, perModel } from "../../langgraph/chat-models.js";
import type { CallLimits, Models, NamedModel } from "../parts/models.js";
import type { Purpose } from "../run/events.js";
import { runOf, usageOf } from "../run/run.js";
import { UsageCounter } from "../run/usage-counter.js";
import type { Findings, Work } from "../run/work.js";
import { Clock } from "./clock.js";

/** A chat model, with or without bound tools and settings. */
export type AskedModel = Pick<BaseChatModel, "invoke" | "stream">;

/** A call of one model. */
export interface ModelCall {
  readonly purpose: Purpose;
  readonly model: NamedModel;
  /** The model with its tools and settings. It may be a copy, as some classes make one to bind tools to it. */
  readonly asked: AskedModel;
  readonly messages: BaseMessage[];
  readonly limits: CallLimits;
  readonly config: RunnableConfig;
}

/** A call that has begun, with its usage and what becomes known of it. */
export interface BegunCall extends ModelCall {
  readonly usage: UsageCounter;
  readonly found: Findings;
  readonly clock: Clock;
}

/** Asks for something. What stands around a call of a model takes such a function, and returns one. */
type Ask<Request, Answer> = (request: Request) => Promise<Answer>;

/**
 * Asks again after a failure. All that does so goes by this function. From the outside in, these are: another model (`fallback`),
 * another request to the same model, such as a shorter one (`askForStep`, `askForText`), the same call (`callModel`).
 *
 * @param change Returns the request to make after the failure of another one. Throws the failure if there is none.
 */
export function again<Request, Answer>(
  ask: Ask<Request, Answer>,
  change: (error: unknown, request: Request, tries: number) => Request | Promise<Request>,
): Ask<Request, Answer> {
  return async (first) => {
    let request = first;
    for (let tries = 1; ; tries += 1) {
      try {
        return await ask(request);
      } catch (error) {
        request = await change(error, request, tries);
      }
    }
  };
}

/**
 * Makes a call of one model, again after a passing failure. Emits its start and its end, and adds up the usage of all
 * tries.
 *
 * @param read Asks once, and reads the reply.
 */
export function callModel<Call extends ModelCall, Answer>(
  call: Call,
  read: Ask<Call & BegunCall, Answer>,
): Promise<Answer> {
  const { purpose, messages, limits, config } = call;
  const { name, model, server } = call.model;
  const run = runOf(config);
  const usage = new UsageCounter();
  const clock = new Clock(limits.timeouts, config.signal, server);
  const ask = again(inTime(read), pause);
  keepSecretsOf(model);
  const work: Work = { kind: "model", name, provider: server.provider(), purpose, found: { messages } };
  const begin = async ({ found }: Work) => {
    run.emit({ type: "model-start", purpose, model: name });
    try {
      return await ask({ ...call, usage, found, clock });
    } finally {
      const { models, toolCalls, modelCalls, ...tokens } = usage.spent;
      run.emit({ type: "model-end", purpose, model: name, ...(modelCalls > 0 && tokens) });
      if (modelCalls > 0) found.tokens = tokens;
      usageOf(config).add(usage.spent);
      usageOf(config).addAsked(purpose, { times: clock.times, usage: models });
    }
  };
  return run.wrapWork ? run.wrapWork(work, begin) : begin(work);
}

/** Asks once, in the time that is left. A failure is told in our words, without secrets. */
function inTime<Call extends BegunCall, Answer>(ask: Ask<Call, Answer>): Ask<Call, Answer> {
  return async (call) => {
    const { asked, clock, model, config } = call;
    clock.begin();
    try {
      return await askOnce(asked, ask, call);
    } catch (error) {
      throw model.server.explain(clock.explain(error), config.signal);
    } finally {
      clock.end();
    }
  };
}

const mostRetries = 2;
const passing: ReadonlySet<ModelErrorKind> = new Set(["rate-limit", "server", "timeout", "interrupted"]);
const firstWaitMs = 1_000;
const longestWaitMs = 30_000;

/**
 * Waits after a passing failure. The wait starts at one second and doubles each time, with jitter. A server may ask for a longer
 * wait, up to 30 s; one that asks for more is not asked again.
 */
async function pause<Call extends BegunCall>(error: unknown, call: Call, tries: number): Promise<Call> {
  const { purpose, clock, limits, model, config } = call;
  const { maxRetries = Math.min(mostRetries, ownRetries(model.model) ?? 0) } = limits;
  const { signal } = config;
  if (!(error instanceof ModelError) || tries > maxRetries || signal?.aborted) throw error;
  const milliseconds = waitAfter(error, tries);
  if (milliseconds === undefined || milliseconds >= clock.left) throw error;
  runOf(config).emit({ type: "retry", purpose, attempt: tries + 1, why: error.problem, milliseconds });
  await wait(milliseconds, undefined, { signal });
  return call;
}

/** Returns the milliseconds to wait after a failed try; undefined if a new try is of no use. */
function waitAfter({ kind, retryAfterMs = 0 }: ModelError, tries: number): number | undefined {
  if (!passing.has(kind)) return undefined;
  const backoff = firstWaitMs * 2 ** (tries - 1) * (1 + Math.random() / 4);
  const milliseconds = Math.round(Math.max(retryAfterMs, backoff));
  return milliseconds > longestWaitMs ? undefined : milliseconds;
}

/** Takes note of the keys of a model, once. */
const keepSecretsOf = perModel((model) => keepSecretsIn(model));

/** Takes note of the keys of models that are not asked yet. One that cannot be loaded fails when it is asked. */
export async function keepSecretsOfModels({ load }: Pick<Models, "load">): Promise<void> {
  for (const { model } of await load().catch(() => [])) keepSecretsOf(model);
}
