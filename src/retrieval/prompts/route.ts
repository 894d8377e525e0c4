import type { BaseMessage } from "@langchain/core/messages";
import type { ChatHistory } from "../../core/state/chat-history.js";
import type { NamedRetriever } from "../searching/retriever.js";
import { historyPart, prompt, questionPart, spoken } from "./prompt-parts.js";

interface RoutingInput {
  readonly places: readonly Pick<NamedRetriever, "name" | "description">[];
  readonly question: string;
  readonly chatHistory: ChatHistory;
  readonly mark: string;
  /** True if the model also tells how many searches the question needs. */
  readonly isAdaptive: boolean;
}

/** The word for no search. No retriever can have it as its name. */
export const nowhere = "none";
const several = "several";

/** Writes the prompt that asks where to search. The idea is that of Adaptive-RAG (Jeong et al. 2024, arXiv:2403.14403). */
export function routingPrompt({ places, question, chatHistory, mark, isAdaptive }: RoutingInput): BaseMessage[] {
  const list = places.map(({ name, description }) => `- ${name}: ${description}`);
  const none = `- ${nowhere}: no search is needed, as for a greeting, or for what the conversation says already`;
  const count =
    "Tell how many searches are needed, too: one, or several. Several are needed if the question has parts that build on " +
    "each other.";
  const form = isAdaptive
    ? `Reply with the name and the word, such as: ${places[0]?.name}, one`
    : "Reply with the name only.";
  return prompt(
    "Decide where to search for the answer to a question.",
    `The places are:\n${[...list, none].join("\n")}`,
    isAdaptive ? count : "",
    historyPart(chatHistory, mark),
    questionPart(question, mark),
    form,
  );
}

/** The places to search. */
export interface Route {
  /** The names of the retrievers. There are none if no search is needed. */
  readonly retrievers: string[];
  readonly severalSearches: boolean;
}

/** Reads a reply to the routing prompt. A reply that names no place means all of them. */
export function readRoute(reply: string, names: string[]): Route {
  const line = spoken(reply).split("\n")[0]?.toLowerCase() ?? "";
  const named = names.filter((name) => hasWord(line, name.toLowerCase()));
  const severalSearches = hasWord(line, several);
  if (named.length > 0) return { retrievers: named, severalSearches };
  return { retrievers: hasWord(line, nowhere) ? [] : names, severalSearches };
}

/** Names have no signs of regular expressions. */
function hasWord(line: string, word: string): boolean {
  return new RegExp(String.raw`(?<![\p{L}\p{N}])${word}(?![\p{L}\p{N}])`, "u").test(line);
}
