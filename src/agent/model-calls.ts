import { z } from "zod";
import { countOption, give, oneOf } from "../base/options.js";
import type { CallLimits, Timeouts } from "../core/parts/models.js";
import { type DecodingServer, decodingServers } from "../model/constrained-decoding.js";

/** How an agent calls its models. */
export interface ModelCalls {
  /** The time limits of a model call, in milliseconds. See {@link Timeouts}. */
  timeouts?: Timeouts;
  /**
   * The number of retries of a model call after a transient failure (a rate limit, a failing server, a lost connection, a
   * timeout), at least 0. Default: the `maxRetries` of the model, at most 2. LangChain's own retries inside the model are
   * off.
   */
  maxRetries?: number;
  /**
   * The largest number of tokens in a prompt, for models whose limit LangChain's profile does not know. A prompt that comes
   * near it is shortened: first the oldest observations, then the oldest turns. The thread keeps all. Default: the window
   * that the model's server tells, else 8192.
   */
  contextTokens?: number;
  /**
   * The server that forces the model to keep the format of the protocol while it decodes: `"llama.cpp"` (grammar),
   * `"vllm"` (structured outputs) or `"openai"` (JSON schema, for `"structured-chat"`). Works with models of
   * `@langchain/openai`. The protocol `"auto"` then means the text protocol for which the server takes a grammar.
   * Default: off.
   */
  constrainedDecoding?: DecodingServer;
}

const timeoutsSchema = z.strictObject({
  firstTokenMs: countOption.default(120_000),
  betweenTokensMs: countOption.default(60_000),
  totalMs: countOption.default(600_000),
});

export const modelCallsSchema = z.strictObject(
  {
    timeouts: timeoutsSchema.optional(),
    maxRetries: z.int(give("a whole number")).min(0, give("a whole number of at least 0")).optional(),
    contextTokens: countOption.optional(),
    constrainedDecoding: oneOf(decodingServers).optional(),
  },
  give("an object, such as { maxRetries: 0 }"),
);

/** Returns the limits of model calls with their defaults. */
export function callLimits({ timeouts = {}, maxRetries, contextTokens }: ModelCalls): CallLimits {
  return { timeouts: timeoutsSchema.parse(timeouts), maxRetries, contextTokens };
}
