import type { RunnableConfig } from "@langchain/core/runnables";
import { isCommand } from "@langchain/langgraph";
import { givenAnswers } from "../../langgraph/answers.js";

const BARE_ANSWER_KEY = "__glassloop_bare_answer";

/**
 * Notes in the configurable of a run whether the run brings an answer without the id of its question. LangGraph keeps
 * such an answer, and gives it to the later runs of the same step, too. There it could answer another question.
 *
 * @param isNested True for a graph inside a node. The run of the outer graph then has the answer.
 */
export function withBareAnswer(
  input: unknown,
  configurable: Readonly<Record<string, unknown>>,
  isNested: boolean,
): Readonly<Record<string, unknown>> {
  const isBare = isNested
    ? givenAnswers({ configurable }).bare !== undefined
    : isCommand(input) && input.resume !== undefined;
  return isBare || isNested ? { ...configurable, [BARE_ANSWER_KEY]: isBare } : configurable;
}

/** Tells whether the run of a node brings an answer without the id of its question. */
export function hasBareAnswer({ configurable }: RunnableConfig): boolean {
  return configurable?.[BARE_ANSWER_KEY] === true;
}
