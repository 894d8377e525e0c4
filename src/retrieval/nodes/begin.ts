import { rephraseQuestion } from "../../core/nodes/rephrase-question.js";
import type { Node } from "../../core/nodes/run-node.js";
import { isSmallTalk } from "../../core/nodes/standalone-question.js";
import { noRetrieval } from "../../core/state/retrieval.js";
import type { AgentStateUpdate } from "../../core/state/state.js";
import type { RetrievalDependencies } from "../dependencies.js";

/** Makes the node that starts a turn, as in an agent. All retrievers are asked, but none for a greeting or thanks. */
export function begin({ agent, retrievers }: RetrievalDependencies): Node<AgentStateUpdate> {
  const rephrase = rephraseQuestion(agent);
  return async (state, config) => {
    const update = await rephrase(state, config);
    const { question = "", turn } = update;
    const names = isSmallTalk(turn?.asked ?? "") ? [] : retrievers.map(({ name }) => name);
    return { ...update, retrieval: { ...noRetrieval, retrievers: names, queries: [question] } };
  };
}
