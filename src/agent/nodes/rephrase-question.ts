import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { type LangGraphRunnableConfig, Overwrite } from "@langchain/langgraph";
import { InvalidInputError } from "../../base/errors.js";
import { askQuietly } from "../../model/ask-model.js";
import { paragraphs } from "../../protocols/prompt/prompt-parts.js";
import { type ChatHistory, chatHistoryOf, isEmptyHistory, seenMessage } from "../../turn/chat-history.js";
import type { AgentStateUpdate, AgentStateValues } from "../../turn/state.js";
import { questionText } from "../../turn/turn-input.js";
import { addUsage, startTurnUsage, type Usage } from "../../turn/usage.js";
import type { AgentDependencies } from "./dependencies.js";
import { addMissingObservations } from "./missing-observations.js";
import { isInOuterGraph } from "./outer-graph.js";
import { recall, rememberAll } from "./remember.js";
import { isSmallTalk, rephrasePrompt, usableRephrasing } from "./rephrasing.js";

/**
 * Makes the node that starts a turn. It takes the last human message as the question and empties the steps of the last
 * turn. It makes the question stand on its own with the chat history (the conversation loop of langchain-mini).
 *
 * It also adds an observation to old tool calls that have none. It does not do so inside an outer graph: another node
 * there may still make these calls.
 */
export function rephraseQuestion(agent: AgentDependencies) {
  return async (state: AgentStateValues, config: LangGraphRunnableConfig): Promise<AgentStateUpdate> => {
    const message = state.messages.at(-1);
    if (message?.getType() !== "human") throw new InvalidInputError("The thread has no new human message.");
    const asked = questionText(message);
    const seen = seenMessage(message);
    const firstTurn = state.turn.number === 0;
    const number = state.turn.number + 1;
    const before = state.messages.slice(0, -1);
    const chatHistory = firstTurn
      ? await rememberAll(agent, chatHistoryOf(before), before, config)
      : await recall(agent, state.chatHistory, before, config);
    const instructions = systemText(state.messages, firstTurn);
    const { question, usage } = await standalone(agent, asked, chatHistory, startTurnUsage(state.usage), config);
    const mended = isInOuterGraph(config) ? undefined : addMissingObservations(state.messages);
    return {
      ...(mended ? { messages: new Overwrite(mended) } : {}),
      turn: {
        number,
        asked,
        startedAt: new Date().toISOString(),
        ...(seen && { message: seen }),
        ...(instructions && { instructions }),
      },
      question,
      usage,
      intermediateSteps: new Overwrite([]),
      ...(state.sources.length > 0 && { sources: [] }),
      reply: null,
      decision: null,
      answer: null,
      stopReason: null,
      ...(chatHistory === state.chatHistory ? {} : { chatHistory }),
    };
  };
}

/**
 * Returns the text of the system messages that came with the question. In the first turn these are all system messages,
 * later those since the last answer.
 */
function systemText(messages: readonly BaseMessage[], firstTurn: boolean): string {
  const start = firstTurn ? 0 : messages.findLastIndex((message) => message.getType() === "ai") + 1;
  const systemMessages = messages.slice(start).filter((message) => message.getType() === "system");
  return paragraphs(...systemMessages.map(({ text }) => text.trim()));
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
