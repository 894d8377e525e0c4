import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import type { ChatHistory } from "../../core/state/chat-history.js";
import type { Turn } from "../../core/state/state.js";
import { renderChatHistory } from "../../prompts/chat-history-text.js";
import { fencedHistory, fencedQuestion, spokenPlaces } from "../fence/fenced-view.js";

/** Writes the "standalone question" prompt of langchain-mini and of LangChain's conversational retrieval chain. */
export function rephrasePrompt(question: string, history: ChatHistory): string {
  return `Given the following conversation and a follow up question, rephrase the follow up question to be a standalone question, in its original language.
Chat History:
${renderChatHistory(history)}
Follow Up Input: ${question}
Standalone question:`;
}

/** Yields the prompt with the whole chat history, and then with ever fewer of its oldest turns. The words of people are fenced. */
export function* rephrasingPrompts({ asked, mark }: Turn, history: ChatHistory): Generator<BaseMessage[]> {
  const known = { mark, protocol: { labelsIn: spokenPlaces } };
  const question = fencedQuestion(asked, known);
  const shown = fencedHistory(history, known);
  for (let left = 0; left <= history.turns.length; left += 1) {
    yield [new HumanMessage(rephrasePrompt(question, { ...shown, turns: shown.turns.slice(left) }))];
  }
}
