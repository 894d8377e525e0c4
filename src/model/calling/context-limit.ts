import type { BaseMessage } from "@langchain/core/messages";
import { z } from "zod";
import { ModelError } from "../../base/errors.js";
import { perModel } from "../per-model.js";
import { asTokensOf, estimatePrompt } from "./token-estimate.js";

const profileSchema = z.object({ profile: z.object({ maxInputTokens: z.number() }) });

/** The limits that servers named when they refused a prompt, by model. */
const learnt = new WeakMap<object, number>();

/**
 * Returns the largest number of tokens in a prompt of a model: what its server said when it refused one, else the option
 * of the agent, else LangChain's profile of the model. It is undefined if nobody knows.
 */
function contextLimit(model: object, option: number | undefined): number | undefined {
  return learnt.get(model) ?? option ?? profiles(model);
}

const profiles = perModel((model) => profileSchema.safeParse(model).data?.profile.maxInputTokens);

/** The ways in which servers name their limit. */
const limits = [
  /maximum (?:context|model|sequence|prompt) length (?:is|of)?\s*(\d+)/i,
  /context (?:size|length|window)\D{0,20}?(\d+)/i,
  /> (\d+) maximum/i,
  /(?:maximum|limit)[^\d.]{0,60}?(\d+)/i,
  /(\d+) (?:tokens? )?(?:maximum|context)/i,
];

/**
 * Reads how much a server takes out of its refusal of a prompt. If it does not say so, it is taken to be three quarters of
 * what it was sent.
 *
 * @param sent The estimated tokens of the prompt.
 */
function learnLimit(model: object, refusal: ModelError, sent: number): void {
  const words = refusal.message.replaceAll(/(\d)[,_](?=\d{3})/g, "$1");
  const named = limits.map((pattern) => Number(pattern.exec(words)?.[1])).find((limit) => limit >= smallestLimit);
  learnt.set(model, named ?? Math.floor(sent * 0.75));
}

const smallestLimit = 256;

/** Tells whether a server refused a prompt because it is too long. */
export function isTooLong(error: unknown): error is ModelError {
  return error instanceof ModelError && error.kind === "too-long";
}

/** Returns the tokens that a prompt may have. The rest is for the reply, as many servers count both together. */
function promptBudget(limit: number): number {
  return limit - Math.min(2_000, Math.ceil(limit / 5));
}

/** The room for a prompt in a model. */
export interface Room {
  /** Tells whether messages fit into it. */
  fits(messages: readonly BaseMessage[]): boolean;
  /** Tells whether messages leave room for more steps. */
  fitsWell(messages: readonly BaseMessage[]): boolean;
  /** Takes note of the refusal of messages. */
  learn(refusal: ModelError, messages: readonly BaseMessage[]): void;
}

/**
 * Measures the room for a prompt in a model.
 *
 * @param contextTokens The option of the agent.
 * @param tools The definitions of the tools as JSON, if the model gets them natively.
 */
export function roomIn(model: object, contextTokens: number | undefined, tools = ""): Room {
  const size = (messages: readonly BaseMessage[]) => asTokensOf(model, estimatePrompt(messages, tools));
  const isWithin = (messages: readonly BaseMessage[], share: number) => {
    const limit = contextLimit(model, contextTokens);
    return limit === undefined || size(messages) <= promptBudget(limit) * share;
  };
  return {
    fits: (messages) => isWithin(messages, 1),
    fitsWell: (messages) => isWithin(messages, 0.8),
    learn: (refusal, messages) => learnLimit(model, refusal, size(messages)),
  };
}
