import type { BaseMessage } from "@langchain/core/messages";
import type { Node } from "../../core/nodes/run-node.js";
import type { Passage } from "../../core/parts/protocol.js";
import { runOf } from "../../core/run/run.js";
import type { AgentStateUpdate } from "../../core/state/state.js";
import type { RetrievalDependencies } from "../dependencies.js";
import { onlyData, passagesPart, prompt, questionPart, spoken } from "../prompts/prompt-parts.js";
import { ask } from "./ask.js";
import { foundSources, wholePassages, withFound } from "./read-state.js";

/** Makes the node that drops the passages that do not help. */
export function grade(parts: RetrievalDependencies): Node<AgentStateUpdate> {
  return async (state, config) => {
    const { question, turn } = state;
    const sources = foundSources(state);
    if (sources.length === 0) return {};
    const passages = wholePassages(state);
    const reply = await ask("grading", parts, state, gradingPrompt(question, passages, turn.mark), config);
    if (reply === undefined) return {};
    const kept = readGrades(reply, passages);
    runOf(config).emit({ type: "grade", kept: kept.length, dropped: sources.length - kept.length });
    if (kept.length === sources.length) return {};
    const helps = (n: number) => passages.some(({ number }, at) => at === n && kept.includes(number));
    return withFound(
      state,
      sources.filter((_, n) => helps(n)),
    );
  };
}

/**
 * Writes the prompt that asks which passages help. The idea is that of corrective RAG (Yan et al. 2024, arXiv:2401.15884),
 * with one call for all passages.
 */
function gradingPrompt(question: string, passages: readonly Passage[], mark: string): BaseMessage[] {
  return prompt(
    "Tell which passages help to answer a question.",
    `A passage helps if it has a fact that belongs into the answer. ${onlyData}`,
    passagesPart(passages, mark),
    questionPart(question, mark),
    "Reply with the numbers of the passages that help, such as: 1, 3. If none helps, reply: none",
  );
}

/** Reads the numbers of the passages that help. A reply without numbers that does not say "none" keeps all of them. */
function readGrades(reply: string, passages: readonly Passage[]): number[] {
  const said = spoken(reply);
  const numbers = passages.map(({ number }) => number);
  const named = (said.match(/\d+/g) ?? []).map(Number);
  const kept = numbers.filter((number) => named.includes(number));
  if (kept.length > 0) return kept;
  return /\b(?:none|no|not|nothing|0)\b/i.test(said) ? [] : numbers;
}
