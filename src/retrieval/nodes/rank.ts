import type { Node } from "../../core/nodes/run-node.js";
import { drawReplyId } from "../../core/state/reply-id.js";
import type { AgentStateUpdate } from "../../core/state/state.js";
import { answerProtocol } from "../prompts/answer.js";
import { readScoredAnswer } from "../prompts/note.js";
import { retrievalOf } from "./read-state.js";

/** Makes the node that takes the answer with the highest score, of the answers from each passage. It asks no model. */
export function rank(): Node<AgentStateUpdate> {
  return async (state) => {
    const retrieval = retrievalOf(state);
    const answers = (retrieval.notes ?? []).map(readScoredAnswer);
    const best = answers.reduce((first, next) => (next.score > first.score ? next : first), { answer: "", score: 0 });
    const { name: protocol } = answerProtocol;
    // If a better answer is asked for, it is asked for from the passages.
    return {
      retrieval: { ...retrieval, notes: null },
      reply: { text: best.answer, toolCalls: [], invalidToolCalls: [], protocol, id: drawReplyId() },
    };
  };
}
