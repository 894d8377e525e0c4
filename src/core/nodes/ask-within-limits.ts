import type { RunnableConfig } from "@langchain/core/runnables";
import { ModelError } from "../../base/errors.js";
import { estimatePrompt } from "../../content/estimated-tokens.js";
import { askForText, type WritePrompt } from "../model/ask-model.js";
import { inOrder } from "../model/failures.js";
import { asTokensOf } from "../model/tokens.js";
import type { AgentParts } from "../parts/agent-parts.js";
import type { Timeouts } from "../parts/models.js";
import type { TurnNow } from "../parts/plugin.js";
import * as seams from "../seams/seams.js";
import type { QuietCall } from "../state/quiet-call.js";

/** Returns the time limits of a model call that may not take longer than its turn. */
export function timeoutsWithin(timeouts: Required<Timeouts>, left: number): Required<Timeouts> {
  return left < timeouts.totalMs ? { ...timeouts, totalMs: Math.max(1, Math.ceil(left)) } : timeouts;
}

/** Tells whether a model call failed because the time of its turn is over. */
export function isTimeOver(error: unknown, left: number): boolean {
  return error instanceof ModelError && error.kind === "timeout" && left <= 0;
}

/**
 * Makes a model call that is no step, if nothing keeps the turn from it.
 *
 * @returns The text of the reply. It is undefined if there is no room for the call.
 */
export async function askWithinLimits(
  purpose: QuietCall["purpose"],
  { models, plugins }: Pick<AgentParts, "models" | "plugins">,
  state: TurnNow["state"],
  write: WritePrompt,
  config: RunnableConfig,
): Promise<string | undefined> {
  const [{ name, model }] = inOrder(await models.load(), config);
  const inputTokens = () => asTokensOf(model, estimatePrompt(write(() => true)));
  if (await seams.beforeAsk(plugins, { state, config, model: name, inputTokens })) return undefined;
  const left = () => seams.timeFor(plugins, { state, config });
  const timeouts = timeoutsWithin(models.limits.timeouts, left());
  const timed = { load: () => models.load(), limits: { ...models.limits, timeouts } };
  try {
    return await askForText(purpose, timed, write, config);
  } catch (error) {
    if (isTimeOver(error, left())) return undefined;
    throw error;
  }
}
