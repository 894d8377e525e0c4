import { HumanMessage } from "@langchain/core/messages";
import { type LangGraphRunnableConfig, Overwrite } from "@langchain/langgraph";
import { type ChatHistory, chatHistoryOf, isEmptyHistory } from "../chat-history.js";
import { InvalidInputError } from "../errors.js";
import { addMissingObservations } from "../missing-observations.js";
import { askQuietly } from "../model-call.js";
import { isSmallTalk, rephrasePrompt, usableRephrasing } from "../rephrasing.js";
import type { AgentStateUpdate, AgentStateValues } from "../state.js";
import { questionText } from "../turn-input.js";
import { addUsage, startTurnUsage, type Usage } from "../usage.js";
import type { AgentDependencies } from "./dependencies.js";

/**
 * Starts a turn: takes the last human message as the question, empties the steps of the turn before, and makes the
 * question stand on its own with the chat history (langchain-mini's conversation loop). Tool calls that were left without an
 * observation get one that says so.
 */
export function rephraseQuestion(agent: AgentDependencies) {
  return async (state: AgentStateValues, config: LangGraphRunnableConfig): Promise<AgentStateUpdate> => {
    const message = state.messages.at(-1);
    if (message?.getType() !== "human") throw new InvalidInputError("The thread has no new human message.");
    const asked = questionText(message);
    const firstTurn = state.turn.number === 0;
    const chatHistory = firstTurn ? chatHistoryOf(state.messages.slice(0, -1)) : state.chatHistory;
    const { question, usage } = await standalone(agent, asked, chatHistory, startTurnUsage(state.usage), config);
    const mended = addMissingObservations(state.messages);
    return {
      ...(mended ? { messages: new Overwrite(mended) } : {}),
      turn: { number: state.turn.number + 1, asked, startedAt: new Date().toISOString() },
      question,
      usage,
      intermediateSteps: new Overwrite([]),
      reply: null,
      decision: null,
      answer: null,
      stopReason: null,
      ...(firstTurn ? { chatHistory } : {}),
    };
  };
}

async function standalone(
  agent: AgentDependencies,
  asked: string,
  history: ChatHistory,
  usage: Usage,
  config: LangGraphRunnableConfig,
): Promise<{ question: string; usage: Usage }> {
  if (!agent.rephrase || isEmptyHistory(history) || isSmallTalk(asked)) return { question: asked, usage };
  const model = await agent.model();
  const { text, spent } = await askQuietly(model, [new HumanMessage(rephrasePrompt(asked, history))], config);
  return { question: usableRephrasing(text, asked) ?? asked, usage: addUsage(usage, spent) };
}
