import type { BaseMessage } from "@langchain/core/messages";
import { fence } from "../../protocols/fence/fence.js";
import type { Passage } from "../../protocols/protocol.js";
import { onlyData, passagesPart, prompt, promptFence, questionPart, spoken, spokenLines } from "./prompt-parts.js";

function queriesPart(queries: readonly string[], mark: string): string {
  return `Queries so far:\n${queries.map((query) => `- ${fence(query, promptFence(mark))}`).join("\n")}`;
}

/** Writes the prompt that asks for another query, after those so far found nothing that helps. */
export function rewritingPrompt(question: string, queries: readonly string[], mark: string): BaseMessage[] {
  return prompt(
    "Write another search query for a question.",
    "The queries so far found nothing that helps. Use other words, or search for a more general thing.",
    questionPart(question, mark),
    queriesPart(queries, mark),
    "Reply with the query only.",
  );
}

/** Reads the query in a reply. It is undefined if there is none, or if it was made before. */
export function readQuery(reply: string, queries: readonly string[]): string | undefined {
  const query = spokenLines(reply)[0]
    ?.replace(/^(?:query|search)\s*:\s*/i, "")
    .slice(0, longest);
  const isKnown = queries.some((known) => known.trim().toLowerCase() === query?.trim().toLowerCase());
  return query === undefined || query === "" || isKnown ? undefined : query;
}

/** The most characters of a query. A longer one is no query. */
const longest = 1_000;

/** Writes the prompt that asks whether more must be searched for. */
export function nextQueryPrompt(
  question: string,
  queries: readonly string[],
  passages: readonly Passage[],
  mark: string,
): BaseMessage[] {
  return prompt(
    "Tell whether the passages are enough to answer a question.",
    onlyData,
    passagesPart(passages, mark),
    questionPart(question, mark),
    queriesPart(queries, mark),
    "If they are enough, reply: ENOUGH\nIf something is missing, reply with one query for it, such as: SEARCH: the year of the first race",
  );
}

/** Reads the next query. It is undefined if the passages are enough. */
export function readNextQuery(reply: string, queries: readonly string[]): string | undefined {
  const found = /^\W*SEARCH\s*:\s*(.+)$/im.exec(spoken(reply));
  return found?.[1] === undefined ? undefined : readQuery(found[1], queries);
}
