import { isDeepStrictEqual } from "node:util";
import { isCommand } from "@langchain/langgraph";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { NotWaitingError } from "../../base/errors.js";
import { answersByQuestion } from "../../langgraph/answers.js";
import { nextNodes } from "../../langgraph/pending-nodes.js";
import { askedIn, hasAsked } from "../../langgraph/pending-writes.js";
import { decisionsForMiddleware, idsIn } from "../nodes/acting/read-decisions.js";
import { type ApprovalValue, readApproval } from "../state/approval.js";

/**
 * Checks that the answer of a person is for a pending question. LangGraph would store any answer, and run nothing.
 *
 * @returns The answer, in the words of the middleware if one asked.
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
): unknown {
  const asked = askedIn(tuple?.pendingWrites ?? []);
  if (asked.length === 0) throw new NotWaitingError(thread, whyNothingWaits(tuple));
  const byQuestion = answersByQuestion(answer);
  const waiting = asked.map(({ id, value }) => {
    const approval = readApproval(value);
    return { id, approval, actions: approval?.requests.map(({ id }) => id) };
  });
  const answered = waiting.filter(({ id, actions }) => {
    const named = idsIn(byQuestion ? byQuestion[id] : answer);
    const isForIt = actions === undefined || named === undefined || named.some((action) => actions.includes(action));
    return isForIt && (byQuestion === undefined || id in byQuestion);
  });
  const read = (id: string, given: unknown) =>
    inWordsOfAsker(thread, answered.find((one) => one.id === id)?.approval, given);
  if (answered.length > 0 && (before === undefined || isDeepStrictEqual(before, asked))) {
    if (byQuestion === undefined) return read(String(answered[0]?.id), answer);
    return Object.fromEntries(Object.entries(byQuestion).map(([id, given]) => [id, read(id, given)]));
  }
  const ids = waiting.flatMap(({ id, actions = [id] }) => actions);
  throw new NotWaitingError(thread, `it waits for one about ${ids.join(", ")}`, ids);
}

/** Returns an answer in the words of the middleware that asked, if one did. */
function inWordsOfAsker(thread: string, { by, requests = [] }: Partial<ApprovalValue> = {}, given: unknown): unknown {
  if (by === undefined) return given;
  const decisions = decisionsForMiddleware(requests, given);
  if (typeof decisions !== "string") return decisions;
  const ids = requests.map(({ id }) => id);
  throw new NotWaitingError(thread, decisions.replace(/\.$/, ""), ids);
}

/**
 * Returns the name of a middleware that asked at a checkpoint, and that an agent does not have. Without it the calls would be made
 * that it asked about.
 */
export function missingAsker(tuple: CheckpointTuple, names: readonly string[]): string | undefined {
  // In a tool another agent asks, with middleware of its own.
  const asked = nextNodes(tuple).includes("act") ? [] : askedIn(tuple.pendingWrites ?? []);
  const asking = asked.map(({ value }) => readApproval(value)?.by);
  return asking.find((name) => name !== undefined && !names.includes(name));
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
