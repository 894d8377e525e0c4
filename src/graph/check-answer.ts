import { isDeepStrictEqual } from "node:util";
import { isCommand } from "@langchain/langgraph";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { NotWaitingError } from "../base/errors.js";
import type { KnownQuestion, Plugin } from "../core/parts/plugin.js";
import * as seams from "../core/seams/seams.js";
import { answersByQuestion } from "../langgraph/answers.js";
import { nextNodes } from "../langgraph/pending-nodes.js";
import { askedIn, hasAsked } from "../langgraph/pending-writes.js";
import { idsIn } from "./answer-form.js";

/**
 * Checks that the answer of a person is for a pending question. LangGraph would store any answer, and run nothing.
 *
 * @returns The answer, as the one who asked reads it.
 * @param tuple The checkpoint from which the run starts; undefined if the thread has none.
 * @param plugins What plugs into the agent. One of them may have asked.
 * @param before The questions that were pending when the answer began to wait for its thread. An answer without an id is
 *   meant for these.
 * @throws NotWaitingError when the answer is for another question, or no question is pending.
 */
export function checkAnswer(
  thread: string,
  tuple: CheckpointTuple | undefined,
  plugins: readonly Plugin[],
  answer: unknown,
  before: readonly unknown[] | undefined,
): unknown {
  const asked = askedIn(tuple?.pendingWrites ?? []);
  if (asked.length === 0) throw new NotWaitingError(thread, whyNothingWaits(tuple));
  const byQuestion = answersByQuestion(answer);
  const waiting = asked.map(({ id, value }) => ({ id, question: seams.readQuestion(plugins, value) }));
  const answered = waiting.filter(({ id, question }) => {
    if (byQuestion && !(id in byQuestion)) return false;
    return question?.takes(byQuestion ? byQuestion[id] : answer) ?? true;
  });
  const [first] = answered;
  if (first && (before === undefined || isDeepStrictEqual(before, asked))) {
    if (byQuestion === undefined) return readBy(first.question, thread, answer);
    const questions = new Map(answered.map(({ id, question }) => [id, question]));
    const read = Object.entries(byQuestion).map(([id, given]) => [id, readBy(questions.get(id), thread, given)]);
    return Object.fromEntries(read);
  }
  const ids = waiting.flatMap(({ id, question }) => question?.ids ?? id);
  throw new NotWaitingError(thread, `it waits for one about ${ids.join(", ")}`, ids);
}

/** Returns an answer as the one who asked reads it. */
function readBy(question: KnownQuestion | undefined, thread: string, answer: unknown): unknown {
  const read = question?.read(answer) ?? { value: answer };
  if ("value" in read) return read.value;
  throw new NotWaitingError(thread, read.why, question?.ids);
}

/**
 * Returns the name of a middleware that asked at a checkpoint, and that an agent does not have. Without it the calls would be made
 * that it asked about.
 */
export function missingAsker(tuple: CheckpointTuple, plugins: readonly Plugin[]): string | undefined {
  // In a tool another agent asks, with middleware of its own.
  const asked = nextNodes(tuple).includes("act") ? [] : askedIn(tuple.pendingWrites ?? []);
  const asking = asked.map(({ value }) => seams.readQuestion(plugins, value)?.by);
  return asking.find((name) => name !== undefined && !plugins.some((plugin) => plugin.name === name));
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
