import type { BaseMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { askQuietly, type WritePrompt } from "../../model/calling/ask-model.js";
import { asTokensOf, estimatePrompt } from "../../model/calling/token-estimate.js";
import { type ChatHistory, isEmptyHistory } from "../../turn/chat-history.js";
import type { Turn } from "../../turn/state.js";
import { noUsage } from "../../turn/usage.js";
import { turnSoFar } from "../limits/limit.js";
import { isTimeOver, limitOnCall, timeLeft, timeoutsWithin } from "../limits/on-calls.js";
import type { AgentDependencies } from "./dependencies.js";
import { isSmallTalk, rephrasingPrompts, usableRephrasing } from "./rephrasing.js";

/**
 * Makes the question of a turn stand on its own. It stays as it was asked if it refers to nothing, or if the model's words are no
 * use. It also stays so if the limits of the turn leave no room for the call.
 */
export async function standaloneQuestion(
  agent: AgentDependencies,
  turn: Turn,
  history: ChatHistory,
  config: LangGraphRunnableConfig,
): Promise<string> {
  const { asked, mark = "" } = turn;
  if (!agent.rephrase || isEmptyHistory(history) || isSmallTalk(asked)) return asked;
  const { turnLimits, limits, models } = agent;
  const soFar = () => turnSoFar({ turn, intermediateSteps: [], usage: noUsage, workedMs: 0 }, config);
  const [{ name, model }] = await models();
  const inputTokens = () => asTokensOf(model, estimatePrompt(rephrasingFor(turn, history, () => true)));
  if (limitOnCall(turnLimits, soFar(), { model: name, inputTokens, isLast: false })) return asked;
  const left = () => timeLeft(turnLimits, soFar(), { isLast: false });
  const timed = { models, limits: { ...limits, timeouts: timeoutsWithin(limits.timeouts, left()) } };
  try {
    const text = await askQuietly("rephrasing", timed, (fits) => rephrasingFor(turn, history, fits), config);
    // Prompts fence the question again. A mark that the model repeats is none of its words.
    return usableRephrasing(mark ? text.replaceAll(mark, "") : text, asked) ?? asked;
  } catch (error) {
    if (isTimeOver(error, left())) return asked;
    throw error;
  }
}

/** Writes the prompt for rephrasing. It leaves out the oldest turns if it would not fit. */
function rephrasingFor(turn: Turn, history: ChatHistory, fits: Parameters<WritePrompt>[0]): BaseMessage[] {
  let shortest: BaseMessage[] = [];
  for (const messages of rephrasingPrompts(turn, history)) {
    if (fits(messages)) return messages;
    shortest = messages;
  }
  return shortest;
}
