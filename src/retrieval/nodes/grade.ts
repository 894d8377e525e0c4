import type { Node } from "../../agent/nodes/told.js";
import type { AgentStateUpdate } from "../../turn/state.js";
import { tell } from "../../turn/teller.js";
import type { RetrievalDependencies } from "../dependencies.js";
import { gradingPrompt, readGrades } from "../prompts/grade.js";
import { ask } from "./ask.js";
import { wholePassages } from "./read-state.js";

/** Makes the node that drops the passages that do not help. */
export function grade(parts: RetrievalDependencies): Node<AgentStateUpdate> {
  return async (state, config) => {
    const { question, sources, turn } = state;
    if (sources.length === 0) return {};
    const passages = wholePassages(state);
    const reply = await ask("grading", parts, state, gradingPrompt(question, passages, turn.mark), config);
    if (reply === undefined) return {};
    const kept = readGrades(reply, passages);
    tell(config, { type: "grade", kept: kept.length, dropped: sources.length - kept.length });
    return kept.length === sources.length ? {} : { sources: sources.filter((_, n) => kept.includes(n + 1)) };
  };
}
