import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { z } from "zod";
import { checkedResult } from "../../base/options.js";
import { rephraseQuestion } from "../../core/nodes/rephrase-question.js";
import type { Node } from "../../core/nodes/run-node.js";
import { noRetrieval } from "../../core/state/retrieval.js";
import type { AgentStateUpdate, AgentStateValues } from "../../core/state/state.js";
import { isSmallTalk } from "../../middleware/rephrasing.js";
import { runView } from "../../middleware/run-view.js";
import type { RetrievalDependencies } from "../dependencies.js";
import { readQueries, translationPrompt } from "../prompts/translation.js";
import { ask } from "./ask.js";
import { retrievalOf } from "./read-state.js";

/** Makes the node that starts a turn, as in an agent. All retrievers are asked, but none for a greeting or thanks. */
export function begin({ agent, retrievers }: RetrievalDependencies): Node<AgentStateUpdate> {
  const rephrase = rephraseQuestion(agent);
  return async (state, config) => {
    const update = await rephrase(state, config);
    const { question = "", turn } = update;
    const names = isSmallTalk(turn?.asked ?? "") ? [] : retrievers.map(({ name }) => name);
    const earlier = (update.sources ?? state.sources).length;
    return { ...update, retrieval: { ...noRetrieval, earlier, retrievers: names, queries: [question] } };
  };
}

const queriesSchema = z.array(z.string());

/** The most queries of one search. */
const mostQueries = 10;

/** Makes the node that makes queries of the question. The words as asked are always one of them. */
export function translate(parts: RetrievalDependencies): Node<AgentStateUpdate> {
  return async (state, config) => {
    const queries = [state.question, ...(await translated(parts, state, config))].map((query) => query.trim());
    const different = [...new Set(queries.filter((query) => query !== ""))].slice(0, mostQueries);
    return { retrieval: { ...retrievalOf(state), queries: different } };
  };
}

async function translated(parts: RetrievalDependencies, state: AgentStateValues, config: LangGraphRunnableConfig) {
  const { translate: way } = parts;
  const { question, turn } = state;
  if (way === undefined) return [];
  if (typeof way === "function") {
    const queries = await way({ ...runView(state, config), question });
    return checkedResult("translate", "function", queriesSchema, queries);
  }
  const reply = await ask("translation", parts, state, translationPrompt(way, question, turn.mark), config);
  return reply === undefined ? [] : readQueries(way, reply);
}
