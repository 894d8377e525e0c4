import type { BaseMessage } from "@langchain/core/messages";
import type { Node } from "../../core/nodes/run-node.js";
import type { Passage } from "../../core/parts/protocol.js";
import type { AgentStateUpdate, AgentStateValues } from "../../core/state/state.js";
import type { RetrievalDependencies } from "../dependencies.js";
import { readQueryLines } from "../prompts/decisions.js";
import { fenced, onlyData, passagesPart, prompt, questionPart, spoken } from "../prompts/prompt-parts.js";
import { ask } from "./ask.js";
import { retrievalOf, wholePassages } from "./read-state.js";

/**
 * Makes the node that looks for another query after a search without help. When no rewrites are left, the fallback is
 * asked with the question itself. Without queries the turn ends.
 */
export function rewrite(parts: RetrievalDependencies): Node<AgentStateUpdate> {
  const { rewrites: most = 0, fallback } = parts.grading ?? {};
  return async (state, config) => {
    const retrieval = retrievalOf(state);
    const made = queriesOf(state);
    const { rewrites, usedFallback } = retrieval;
    const prompt = () => rewritingPrompt(state.question, made, state.turn.mark);
    const reply = rewrites < most && !usedFallback ? await ask("rewriting", parts, state, prompt(), config) : undefined;
    const query = reply === undefined ? undefined : readQuery(reply, made);
    if (query !== undefined) return { retrieval: { ...retrieval, queries: [query], rewrites: rewrites + 1 } };
    const canFallBack = fallback !== undefined && !usedFallback;
    return { retrieval: { ...retrieval, queries: canFallBack ? [state.question] : [], usedFallback: true } };
  };
}

/** Makes the node that looks whether something is missing in the passages, and for the query that finds it. */
export function nextQuery(parts: RetrievalDependencies): Node<AgentStateUpdate> {
  return async (state, config) => {
    const made = queriesOf(state);
    const messages = nextQueryPrompt(state.question, made, wholePassages(state), state.turn.mark);
    const reply = await ask("next-query", parts, state, messages, config);
    const query = reply === undefined ? undefined : readNextQuery(reply, made);
    return { retrieval: { ...retrievalOf(state), queries: query === undefined ? [] : [query] } };
  };
}

function queriesOf(state: AgentStateValues): string[] {
  return [...new Set(retrievalOf(state).searched.map(({ query }) => query))];
}

function queriesPart(queries: readonly string[], mark: string): string {
  return `Queries so far:\n${queries.map((query) => `- ${fenced(query, mark)}`).join("\n")}`;
}

/** Writes the prompt that asks for another query, after those so far found nothing that helps. */
function rewritingPrompt(question: string, queries: readonly string[], mark: string): BaseMessage[] {
  return prompt(
    "Write another search query for a question.",
    "The queries so far found nothing that helps. Use other words, or search for a more general thing.",
    questionPart(question, mark),
    queriesPart(queries, mark),
    'Reply with JSON that has the query, such as {"query": "year of the first race"}',
  );
}

/** Reads the query in a reply. Undefined if there is no query, or if it was used before. */
function readQuery(reply: string, queries: readonly string[]): string | undefined {
  const query = readQueryLines(reply)[0]?.slice(0, longest);
  const isKnown = queries.some((known) => known.trim().toLowerCase() === query?.trim().toLowerCase());
  return query === undefined || query === "" || isKnown ? undefined : query;
}

/** The most characters of a query. A longer one is no query. */
const longest = 1_000;

/** Writes the prompt that asks whether more must be searched for. */
function nextQueryPrompt(
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

/** Reads the next query. Undefined if the passages are enough. */
function readNextQuery(reply: string, queries: readonly string[]): string | undefined {
  const found = /^\W*SEARCH\s*:\s*(.+)$/im.exec(spoken(reply));
  return found?.[1] === undefined ? undefined : readQuery(found[1], queries);
}
