import type { RunnableConfig } from "@langchain/core/runnables";
import { estimatePrompt } from "../content/estimated-tokens.js";
import { askForText, type WritePrompt } from "../core/model/ask-model.js";
import { timeoutsWithin } from "../core/model/clock.js";
import { inOrder, isTimeOver } from "../core/model/failures.js";
import { asTokensOf } from "../core/model/tokens.js";
import type { AgentParts } from "../core/parts/agent-parts.js";
import type { TurnNow } from "../core/parts/plugin.js";
import * as seams from "../core/seams/seams.js";
import type { QuietCall } from "../core/state/quiet-call.js";

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
