import type { BaseMessage } from "@langchain/core/messages";
import { decide } from "../../core/nodes/parsing/decide.js";
import type { Node } from "../../core/nodes/run-node.js";
import type { Passage } from "../../core/parts/protocol.js";
import { runOf } from "../../core/run/run.js";
import type { AgentStateUpdate } from "../../core/state/state.js";
import { fence } from "../../protocols/fence/fence.js";
import { framed } from "../../protocols/reading/sections/correction-frame.js";
import type { RetrievalDependencies } from "../dependencies.js";
import { onlyData, passagesPart, prompt, promptFence, questionPart, spoken } from "../prompts/prompt-parts.js";
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

/**
 * Writes the prompt that holds an answer against its passages and its question. The idea is that of self-RAG (Asai et al.
 * 2023, arXiv:2310.11511).
 */
export function checkPrompt(
  question: string,
  passages: readonly Passage[],
  answer: string,
  mark: string,
): BaseMessage[] {
  return prompt(
    "Check an answer against the passages that it was made of.",
    `The answer is right if all that it states stands in the passages, and if it answers the question. An answer that says that the passages do not tell is right if they do not. ${onlyData}`,
    passagesPart(passages, mark),
    questionPart(question, mark),
    `Answer: ${fence(answer, promptFence(mark))}`,
    "If it is right, reply: YES\nIf not, reply with what is wrong or missing, such as: NO: the passages do not name the year",
  );
}

/** Reads the verdict about an answer: what is wrong with it, or an empty text if it is right. Undefined if nobody can tell. */
function readVerdict(reply: string): string | undefined {
  const [, word = "", why = ""] = /^\W*(YES|NO)\b\W*([\s\S]*)$/i.exec(spoken(reply)) ?? [];
  if (word === "") return undefined;
  if (word.toUpperCase() === "YES") return "";
  return why.trim() || "the passages do not say all of it";
}

/** Writes the text that asks a model for a better answer. It has the frame of a correction. */
function betterAnswerRequest(complaint: string): string {
  return framed(
    `The answer does not follow from the passages: ${complaint}`,
    "Answer the question once more. State only what the passages say. Say what they do not tell.",
  );
}
