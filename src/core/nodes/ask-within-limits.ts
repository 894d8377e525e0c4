import type { RunnableConfig } from "@langchain/core/runnables";
import { isTimeOver, limitOnCall, type TurnSoFar, timeLeft, timeoutsWithin } from "../limits/limits.js";
import { askForText, type WritePrompt } from "../model/ask-model.js";
import { inOrder } from "../model/failures.js";
import { asTokensOf, estimatePrompt } from "../model/tokens.js";
import type { AgentParts } from "../parts/agent-parts.js";
import type { QuietCall } from "../state/quiet-call.js";

/**
 * Makes a model call that is no step, within the limits of the turn.
 *
 * @param soFar Returns the turn so far, for its limits.
 * @returns The text of the reply. It is undefined if the limits leave no room for the call.
 */
export async function askWithinLimits(
  purpose: QuietCall["purpose"],
  { models, limits }: Pick<AgentParts, "models" | "limits">,
  soFar: () => TurnSoFar,
  write: WritePrompt,
  config: RunnableConfig,
): Promise<string | undefined> {
  const [{ name, model }] = inOrder(await models.load(), config);
  const inputTokens = () => asTokensOf(model, estimatePrompt(write(() => true)));
  if (limitOnCall(limits, soFar(), { model: name, inputTokens, isLast: false })) return undefined;
  const left = () => timeLeft(limits, soFar(), { isLast: false });
  const timeouts = timeoutsWithin(models.limits.timeouts, left());
  const timed = { load: () => models.load(), limits: { ...models.limits, timeouts } };
  try {
    return await askForText(purpose, timed, write, config);
  } catch (error) {
    if (isTimeOver(error, left())) return undefined;
    throw error;
  }
}
