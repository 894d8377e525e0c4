import type { BaseMessage } from "@langchain/core/messages";
import { z } from "zod";
import { decide } from "../../core/nodes/parsing/decide.js";
import type { Node } from "../../core/nodes/run-node.js";
import type { Passage } from "../../core/parts/protocol.js";
import { runOf } from "../../core/run/run.js";
import type { Citation } from "../../core/state/source.js";
import type { AgentStateUpdate } from "../../core/state/state.js";
import { checkCitations } from "../../middleware/citations/check-citations.js";
import { framed } from "../../protocols/reading/sections/correction-frame.js";
import type { RetrievalDependencies } from "../dependencies.js";
import { jsonIn, readYesNo } from "../prompts/decisions.js";
import { fenced, onlyData, passagesPart, prompt, questionPart, spoken } from "../prompts/prompt-parts.js";
import { askToDecide } from "./ask.js";
import { retrievalOf, wholePassages } from "./read-state.js";

/** The number of answers that are checked. After the last one the turn ends. */
export const mostChecks = 2;

/** No decision stands against the reply any more. */
const goOn = { decision: null };

/**
 * Makes the node that holds an answer against its passages and its question. An answer that does not follow from them is
 * asked for once more, as is one that cites no passage, or one that is not there. If the model names a query for what the
 * passages lack, there is a search for that before. An answer is not checked if it needs no passages, or if the limits of the
 * turn leave no room.
 */
export function check(parts: RetrievalDependencies): Node<AgentStateUpdate> {
  return async (state, config) => {
    const { reply, question, turn } = state;
    const retrieval = retrievalOf(state);
    if (reply === null || retrieval.retrievers.length === 0) return goOn;
    const decision = decide(parts.agent, state, reply, config);
    if (decision.kind !== "finish" || decision.stopReason !== "answered") return goOn;
    const messages = checkPrompt(question, wholePassages(state), decision.output, turn.mark, parts.prompts.check);
    const decided = await askToDecide("check", parts, state, messages, readVerdict, config);
    if (decided === undefined) return goOn;
    const { value: { complaint: found, search } = notConfirmed, ...undecided } = decided;
    const checks = retrieval.checks + 1;
    const citations = checkCitations(decision.output, state.sources, "", retrieval.leftOut);
    const complaints = [found, citationComplaint(citations, checks === mostChecks)];
    const complaint = complaints.filter((each) => each !== "").join("; ");
    runOf(config).emit({ type: "check", complaint, ...undecided });
    const isNew = search !== "" && retrieval.searched.every(({ query }) => query !== search);
    const checked = { ...goOn, retrieval: { ...retrieval, checks, complaint, queries: isNew ? [search] : [] } };
    if (complaint === "" || checks === mostChecks) return checked;
    const again = { kind: "unparseable" as const, why: complaint, correction: betterAnswerRequest(complaint) };
    return { ...checked, decision: again, intermediateSteps: { reply, decision: again, results: [] } };
  };
}

const isRight =
  "The answer is right if all that it states stands in the passages, and if it answers the question. An answer that says that the passages do not tell is right if they do not.";

/**
 * Writes the prompt that holds an answer against its passages and its question. The idea is that of self-RAG (Asai et al.
 * 2023, arXiv:2310.11511).
 */
export function checkPrompt(
  question: string,
  passages: readonly Passage[],
  answer: string,
  mark: string,
  task = isRight,
): BaseMessage[] {
  return prompt(
    "Check an answer against the passages that it was made of.",
    `${task} ${onlyData}`,
    passagesPart(passages, mark),
    questionPart(question, mark),
    `Answer: ${fenced(answer, mark)}`,
    'If it is right, reply with JSON: {"right": true}\nIf not, reply with what is wrong or missing, and with a query if a search may find it, such as: {"right": false, "why": "the passages do not name the year", "search": "year of the first race"}',
  );
}

/** What is wrong with an answer, and the query that may find what is missing. Both are empty if it is right. */
interface Verdict {
  readonly complaint: string;
  readonly search: string;
}

const notConfirmed: Verdict = { complaint: "the check of it did not confirm it", search: "" };
const words = z.string().trim().catch("");
const verdictForm = z.object({ right: z.union([z.boolean(), z.string()]), why: words, search: words });

/** Reads the verdict about an answer: in JSON, or in words. Undefined if nobody can tell. */
export function readVerdict(reply: string): Verdict | undefined {
  const given = jsonIn(reply, verdictForm);
  const agrees = readYesNo(given === undefined ? reply : String(given.right));
  if (agrees === undefined) return undefined;
  if (agrees) return { complaint: "", search: "" };
  const { why, search } = given ?? { why: spoken(reply).replace(/^\W*NO\b\W*/i, ""), search: "" };
  return { complaint: why || "the passages do not say all of it", search };
}

/**
 * Tells what is wrong with the citations of an answer: it cites a passage that is not there, or nothing. Returns an empty text
 * if nothing is wrong. The last answer may cite nothing: so does an answer that says that the passages do not tell.
 */
function citationComplaint(citations: readonly Citation[], isLast: boolean): string {
  const missing = citations.flatMap(({ number, source }) => (source === null ? `[${number}]` : []));
  if (missing.length > 0) return `no passage has the number ${[...new Set(missing)].join(", ")}`;
  return citations.length > 0 || isLast ? "" : "it cites no passage by its number, such as [1]";
}

/** Writes the text that asks a model for a better answer. It has the frame of a correction. */
function betterAnswerRequest(complaint: string): string {
  return framed(
    `The answer does not follow from the passages: ${complaint}`,
    "Answer the question once more. State only what the passages say. Say what they do not tell.",
  );
}
