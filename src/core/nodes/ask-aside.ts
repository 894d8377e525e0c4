import type { RunnableConfig } from "@langchain/core/runnables";
import type { TurnSoFar } from "../limits/limit.js";
import { isTimeOver, limitOnCall, timeLeft, timeoutsWithin } from "../limits/on-calls.js";
import { askQuietly, type WritePrompt } from "../model/ask-model.js";
import { asTokensOf, estimatePrompt } from "../model/token-estimate.js";
import type { QuietCall } from "../state/quiet-call.js";
import type { AgentDependencies } from "./dependencies.js";

/**
 * Makes a model call that is no step, within the limits of the turn.
 *
 * @param soFar Returns the turn so far, for its limits.
 * @returns The text of the reply. It is undefined if the limits leave no room for the call.
 */
export async function askAside(
  purpose: QuietCall["purpose"],
  { models, limits, turnLimits }: Pick<AgentDependencies, "models" | "limits" | "turnLimits">,
  soFar: () => TurnSoFar,
  write: WritePrompt,
  config: RunnableConfig,
): Promise<string | undefined> {
  const [{ name, model }] = await models();
  const inputTokens = () => asTokensOf(model, estimatePrompt(write(() => true)));
  if (limitOnCall(turnLimits, soFar(), { model: name, inputTokens, isLast: false })) return undefined;
  const left = () => timeLeft(turnLimits, soFar(), { isLast: false });
  const timed = { models, limits: { ...limits, timeouts: timeoutsWithin(limits.timeouts, left()) } };
  try {
    return await askQuietly(purpose, timed, write, config);
  } catch (error) {
    if (isTimeOver(error, left())) return undefined;
    throw error;
  }
}
