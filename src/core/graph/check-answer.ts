import { isDeepStrictEqual } from "node:util";
import { isCommand } from "@langchain/langgraph";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { NotWaitingError } from "../../base/errors.js";
import { answersByQuestion } from "../../langgraph/answers.js";
import { nextNodes } from "../../langgraph/pending-nodes.js";
import { askedIn, hasAsked } from "../../langgraph/pending-writes.js";
import { idsIn } from "../nodes/acting/read-decisions.js";
import { readApproval } from "../state/approval.js";

/**
 * Checks that the answer of a person is for a pending question. LangGraph would store any answer, and run nothing.
 *
 * @param tuple The checkpoint from which the run starts; undefined if the thread has none.
 * @param before The questions that were pending when the answer began to wait for its thread. An answer without an id is
 *   meant for these.
 * @throws NotWaitingError when the answer is for another question, or no question is pending.
 */
export function checkAnswer(
  thread: string,
  tuple: CheckpointTuple | undefined,
  answer: unknown,
  before: readonly unknown[] | undefined,
): void {
  const asked = askedIn(tuple?.pendingWrites ?? []);
  if (asked.length === 0) throw new NotWaitingError(thread, whyNothingWaits(tuple));
  const byQuestion = answersByQuestion(answer);
  const waiting = asked.map(({ id, value }) => ({ id, actions: readApproval(value)?.requests.map(({ id }) => id) }));
  const isAnswered = waiting.some(({ id, actions }) => {
    const named = idsIn(byQuestion ? byQuestion[id] : answer);
    const isForIt = actions === undefined || named === undefined || named.some((action) => actions.includes(action));
    return isForIt && (byQuestion === undefined || id in byQuestion);
  });
  if (isAnswered && (before === undefined || isDeepStrictEqual(before, asked))) return;
  const ids = waiting.flatMap(({ id, actions = [id] }) => actions);
  throw new NotWaitingError(thread, `it waits for one about ${ids.join(", ")}`, ids);
}

/** Tells whether an input is an answer of a person that names neither a question nor an action. */
export function isAnswerWithoutId(input: unknown): boolean {
  const answer = isCommand(input) ? input.resume : undefined;
  return answer !== undefined && !answersByQuestion(answer) && !idsIn(answer);
}

function whyNothingWaits(tuple: CheckpointTuple | undefined): string {
  if (tuple === undefined) return "nothing was asked there yet";
  if (nextNodes(tuple).length === 0) return "its last turn has ended";
  if (hasAsked(tuple.pendingWrites ?? [])) return "the question at this checkpoint is answered already";
  return "its last turn was stopped, and agent.invoke(null, config) resumes it";
}
