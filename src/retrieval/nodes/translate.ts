import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { z } from "zod";
import { checkedResult } from "../../base/options.js";
import type { Node } from "../../core/nodes/run-node.js";
import { runView } from "../../core/run/run-view.js";
import type { AgentStateUpdate, AgentStateValues } from "../../core/state/state.js";
import type { RetrievalDependencies } from "../dependencies.js";
import { ask } from "./ask.js";
import { retrievalOf } from "./read-state.js";

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

async function translated(
  parts: RetrievalDependencies,
  state: AgentStateValues,
  config: LangGraphRunnableConfig,
): Promise<readonly string[]> {
  const { translate: way } = parts;
  const { question, turn } = state;
  if (way === undefined) return [];
  if (typeof way === "function") {
    const queries = await way({ ...runView(state, config), question });
    return checkedResult("translate", "function", queriesSchema, queries);
  }
  const reply = await ask("translation", parts, state, way.prompt(question, turn.mark), config);
  return reply === undefined ? [] : way.read(reply);
}
