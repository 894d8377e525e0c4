import type { BaseMessage } from "@langchain/core/messages";
import { z } from "zod";
import type { ModelError } from "../../base/errors.js";
import { estimatePrompt } from "../../content/estimated-tokens.js";
import { perModel } from "../../langgraph/chat-models.js";
import { numbersIn } from "../../provider-forms/refused-length.js";
import type { ModelServer } from "../parts/models.js";
import type { Room } from "../parts/prompts.js";
import { asTokensOf, learnTokens, mostTokens } from "./tokens.js";

const profileSchema = z.object({ profile: z.object({ maxInputTokens: z.number() }) });

/** The limits that servers named when they refused a prompt, by model. */
const learnt = new WeakMap<object, number>();

/** The windows of models whose limit was unknown when a long prompt was to be sent. */
const windows = new WeakMap<object, number>();

/**
 * The window of a model if nobody knows it, in tokens. Prompts that are not longer are sent as they are. A longer one would be
 * cut in silence by servers such as Ollama.
 */
const unknownWindow = 8_192;

/**
 * Returns the largest number of tokens in a prompt of a model: the option of the agent, else LangChain's profile of the
 * model, else its window, or less if the server named a lower limit when it refused a prompt. Infinite if the limit is unknown.
 */
function contextLimit(model: object, option: number | undefined): number {
  return Math.min(learnt.get(model) ?? Infinity, option ?? profiles(model) ?? windows.get(model) ?? Infinity);
}

const profiles = perModel((model) => profileSchema.safeParse(model).data?.profile.maxInputTokens);

/**
 * Reads the limit of a server out of its refusal of a prompt, less what the request keeps for a long reply. If the estimate of
 * this prompt was within the limit, the estimate was too low, and later ones are corrected by the same factor. A number that
 * this prompt cannot have exceeded is not the limit. If the refusal names no limit, three quarters of this prompt are taken as
 * the limit.
 */
function learnLimit(model: object, refusal: ModelError, estimated: number): void {
  const { limits, prompt, reply, numbers } = numbersIn(refusal.message);
  const sent = asTokensOf(model, estimated);
  const limit = limits
    .map((number) => Math.min(number, limitFor(number - reply)))
    .find((number) => number >= smallestLimit && number < mostTokens(estimated));
  learnt.set(model, limit ?? Math.floor(sent * 0.75));
  if (limit === undefined) return;
  const above = numbers.filter((number) => number > limit);
  const counted = prompt ?? (above.length > 0 ? Math.min(...above) : Math.ceil(limit * 1.1));
  if (counted > sent) learnTokens(model, estimated, counted);
}

const smallestLimit = 256;

/** Returns the tokens that a prompt may have. The rest is for the reply, as many servers count both together. */
function promptBudget(limit: number): number {
  return limit - Math.min(2_000, Math.ceil(limit / 5));
}

/** Returns the limit with this budget. */
function limitFor(budget: number): number {
  return budget + Math.min(2_000, Math.floor(budget / 4));
}

/**
 * Measures the room for a prompt in a model.
 *
 * @param asked The model, and its server, which may know its window.
 * @param contextTokens The option of the agent.
 * @param tools The definitions of the tools as JSON, if the model gets them natively.
 */
export function roomIn(
  { model, server }: { readonly model: object; readonly server: Pick<ModelServer, "window"> },
  contextTokens: number | undefined,
  tools = "",
): Room {
  const isKnown = contextTokens !== undefined || profiles(model) !== undefined;
  const tokensOf = (messages: readonly BaseMessage[]) => {
    const estimated = estimatePrompt(messages, tools);
    // Some local servers do not count what is in their cache.
    return Math.max(asTokensOf(model, estimated), isKnown ? 0 : estimated);
  };
  const isWithin = (messages: readonly BaseMessage[], share: number) => {
    const limit = contextLimit(model, contextTokens);
    // An estimate of a long prompt takes long.
    return limit === Infinity || tokensOf(messages) <= promptBudget(limit) * share;
  };
  return {
    async findWindow(messages) {
      if (isKnown || tokensOf(messages) <= unknownWindow) return;
      windows.set(model, (await server.window()) ?? unknownWindow);
    },
    fits: (messages) => isWithin(messages, 1),
    fitsWell: (messages) => isWithin(messages, 0.8),
    learn: (refusal, messages) => learnLimit(model, refusal, estimatePrompt(messages, tools)),
  };
}
