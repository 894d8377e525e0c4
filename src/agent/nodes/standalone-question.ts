import type { BaseMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { WritePrompt } from "../../model/calling/ask-model.js";
import { type ChatHistory, isEmptyHistory } from "../../turn/chat-history.js";
import type { Turn } from "../../turn/state.js";
import { noUsage } from "../../turn/usage.js";
import { turnSoFar } from "../limits/limit.js";
import { askAside } from "./ask-aside.js";
import type { AgentDependencies } from "./dependencies.js";
import { isSmallTalk, usableRephrasing } from "./rephrasing.js";

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
  const { asked, mark } = turn;
  if (!agent.rephrase || isEmptyHistory(history) || isSmallTalk(asked)) return asked;
  const soFar = () => turnSoFar({ turn, intermediateSteps: [], usage: noUsage, workedMs: 0 }, config);
  const text = await askAside("rephrasing", agent, soFar, (fits) => rephrasingFor(agent, turn, history, fits), config);
  if (text === undefined) return asked;
  // Prompts fence the question again. A mark that the model repeats is none of its words.
  return usableRephrasing(text.replaceAll(mark, ""), asked) ?? asked;
}

/** Writes the prompt for rephrasing. It leaves out the oldest turns if it would not fit. */
function rephrasingFor(
  { protocols }: AgentDependencies,
  turn: Turn,
  history: ChatHistory,
  fits: Parameters<WritePrompt>[0],
): BaseMessage[] {
  let shortest: BaseMessage[] = [];
  for (const messages of protocols.rephrasing(turn, history)) {
    if (fits(messages)) return messages;
    shortest = messages;
  }
  return shortest;
}
