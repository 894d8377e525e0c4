import type { BaseMessage } from "@langchain/core/messages";
import type { Node } from "../../core/nodes/run-node.js";
import type { Passage } from "../../core/parts/protocol.js";
import { runOf } from "../../core/run/run.js";
import type { AgentStateUpdate } from "../../core/state/state.js";
import type { RetrievalDependencies } from "../dependencies.js";
import { readNumbers } from "../prompts/decisions.js";
import { onlyData, passagesPart, prompt, questionPart } from "../prompts/prompt-parts.js";
import { askToDecide } from "./ask.js";
import { foundSources, retrievalOf, wholePassages, withFound } from "./read-state.js";

/** Makes the node that drops the passages that do not help. Those that an earlier search of the turn found stay. */
export function grade(parts: RetrievalDependencies): Node<AgentStateUpdate> {
  return async (state, config) => {
    const { question, turn } = state;
    const { graded, leftOut } = retrievalOf(state);
    const passages = wholePassages(state);
    const fresh = passages.slice(graded);
    if (fresh.length === 0) return {};
    const numbers = fresh.map(({ number }) => number);
    const messages = gradingPrompt(question, fresh, turn.mark, parts.prompts.grade);
    const read = (reply: string) => readNumbers(reply, numbers);
    const decided = await askToDecide("grading", parts, state, messages, read, config);
    if (decided === undefined) return {};
    const { value: kept = numbers, ...undecided } = decided;
    const dropped = numbers.length - kept.length;
    runOf(config).emit({ type: "grade", kept: kept.length, dropped, ...undecided });
    const isKept = (n: number) => n < graded || kept.includes(passages[n]?.number ?? 0);
    const found = foundSources(state);
    const changes = { graded: graded + kept.length, leftOut: [...leftOut, ...found.filter((_, n) => !isKept(n))] };
    return withFound(
      state,
      found.filter((_, n) => isKept(n)),
      changes,
    );
  };
}

const helps = "A passage helps if it has a fact that belongs into the answer.";

/**
 * Writes the prompt that asks which passages help. The idea is that of corrective RAG (Yan et al. 2024, arXiv:2401.15884),
 * with one call for all passages.
 */
function gradingPrompt(question: string, passages: readonly Passage[], mark: string, task = helps): BaseMessage[] {
  return prompt(
    "Tell which passages help to answer a question.",
    `${task} ${onlyData}`,
    passagesPart(passages, mark),
    questionPart(question, mark),
    'Reply with JSON: the numbers of the passages that help, such as {"helpful": [1, 3]}, or {"helpful": []} if none helps.',
  );
}
