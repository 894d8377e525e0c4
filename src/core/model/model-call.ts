import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { RunnableConfig } from "@langchain/core/runnables";
import { keepSecretsIn } from "../../base/secrets/known-secrets.js";
import { askOnce, ownRetries, perModel } from "../../langgraph/chat-models.js";
import { serverName, toModelError } from "../../model/model-errors.js";
import { providerOfModel } from "../../model/models.js";
import { modelSpan, tokenAttributes } from "../../tracing/gen-ai.js";
import { inSpan, type Note } from "../../tracing/spans.js";
import type { EventDetails } from "../run/events.js";
import { Meter, meterIn } from "../run/meter.js";
import { tell } from "../run/teller.js";
import type { NamedModel } from "./named-model.js";
import { withRetries } from "./retries.js";
import { CallTime, type Timeouts, Try } from "./timeouts.js";

export type Purpose = EventDetails<"model-start">["purpose"];

/** The limits of the model calls of an agent. */
export interface CallLimits {
  readonly timeouts: Required<Timeouts>;
  /** The number of new tries after a passing failure. Default: that of the model, at most 2. */
  readonly maxRetries?: number | undefined;
  /** The largest number of tokens in a prompt. Default: that of the model's profile in LangChain. */
  readonly contextTokens?: number | undefined;
}

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

/**
 * Makes a model call with all its tries, in a span. It tells the start, each new try and the end, and counts what the
 * tries cost.
 *
 * @param asked The model that the tries ask. It may be a copy, as some classes make one to bind tools to it.
 */
export function callModel<Answer>(
  purpose: Purpose,
  asked: AskedModel,
  { model: { name, model }, limits, config }: ModelCall,
  attempt: (tried: Try, meter: Meter, note: Note) => Promise<Answer>,
): Promise<Answer> {
  keepSecretsOf(model);
  const { maxRetries = Math.min(mostRetries, ownRetries(model) ?? 0), timeouts } = limits;
  const { signal } = config;
  const meter = new Meter();
  const time = new CallTime(timeouts);
  async function once(note: Note): Promise<Answer> {
    const tried = new Try(time, signal, () => serverName(model));
    try {
      return await askOnce(asked, () => attempt(tried, meter, note));
    } catch (error) {
      throw toModelError(tried.explain(error), { model, signal });
    } finally {
      tried.end();
    }
  }
  async function withTries(note: Note): Promise<Answer> {
    tell(config, { type: "model-start", purpose, model: name });
    try {
      return await withRetries(() => once(note), {
        maxRetries,
        timeLeft: () => time.left(),
        signal,
        tell: (retry) => tell(config, retry),
      });
    } finally {
      const { models, toolCalls, modelCalls, ...tokens } = meter.spent;
      tell(config, { type: "model-end", purpose, model: name, ...(modelCalls > 0 && tokens) });
      if (modelCalls > 0) note(tokenAttributes(tokens));
      meterIn(config)?.add(meter.spent);
    }
  }
  return inSpan(() => modelSpan(name, providerOfModel(model), purpose), withTries);
}
