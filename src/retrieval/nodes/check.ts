import { decide } from "../../core/nodes/parsing/decide.js";
import type { Node } from "../../core/nodes/run-node.js";
import { runOf } from "../../core/run/run.js";
import type { AgentStateUpdate } from "../../core/state/state.js";
import type { RetrievalDependencies } from "../dependencies.js";
import { betterAnswerRequest, checkPrompt, readVerdict } from "../prompts/check.js";
import { ask } from "./ask.js";
import { retrievalOf, wholePassages } from "./read-state.js";

/** The number of answers that are checked. After the last one the turn ends. */
export const mostChecks = 2;

/** No decision stands against the reply any more. */
const goOn = { decision: null };

/**
 * Makes the node that holds an answer against its passages and its question. An answer that does not follow from them is
 * asked for once more. An answer is not checked if it needs no passages, or if the limits of the turn leave no room.
 */
export function check(parts: RetrievalDependencies): Node<AgentStateUpdate> {
  return async (state, config) => {
    const { reply, question, turn } = state;
    const retrieval = retrievalOf(state);
    if (reply === null || retrieval.retrievers.length === 0) return goOn;
    const decision = decide(parts.agent, state, reply, config);
    if (decision.kind !== "finish" || decision.stopReason !== "answered") return goOn;
    const messages = checkPrompt(question, wholePassages(state), decision.output, turn.mark);
    const verdict = await ask("check", parts, state, messages, config);
    const complaint = verdict === undefined ? undefined : readVerdict(verdict);
    if (complaint === undefined) return goOn;
    runOf(config).emit({ type: "check", complaint });
    const checks = retrieval.checks + 1;
    const checked = { ...goOn, retrieval: { ...retrieval, checks, complaint } };
    if (complaint === "" || checks === mostChecks) return checked;
    const again = { kind: "unparseable" as const, why: complaint, correction: betterAnswerRequest(complaint) };
    return { ...checked, decision: again, intermediateSteps: { reply, decision: again, results: [] } };
  };
}
