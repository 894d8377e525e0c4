import type { BaseMessage } from "@langchain/core/messages";
import { messagesStateReducer } from "@langchain/langgraph";
import { attempted } from "../base/attempted.js";
import { InvalidInputError } from "../base/errors.js";
import { questionIndex, questionText, readMessages } from "../core/state/turn-input.js";

/**
 * Checks that an input ends with its question. In an outer graph others may have spoken since, so this is not checked
 * there.
 *
 * @throws InvalidInputError when it ends otherwise.
 */
export function checkQuestionIsLast(input: unknown): void {
  const last = readMessages(input).at(-1);
  if (last === undefined) throw new InvalidInputError("The input has no message.");
  if (last.getType() !== "human") {
    throw new InvalidInputError(`The input ends with a message of type "${last.getType()}", not with a human one.`);
  }
  questionText(last);
}

/**
 * Checks that a conversation takes an input, before anything of it is stored.
 *
 * @throws InvalidInputError when the input removes what is not there, or its question is a message from before the last one.
 */
export function checkQuestionFits(input: unknown, known: readonly BaseMessage[]): void {
  const given = readMessages(input);
  const all = attempted(() => messagesStateReducer([...known], given));
  if (all === undefined) throw new InvalidInputError("The input removes a message that is not in the conversation.");
  const id = given.at(-1)?.id;
  if (all[questionIndex(all)]?.id !== id)
    throw new InvalidInputError(`Others have spoken since the message "${id}". A new question needs a new id.`);
}

/**
 * Returns the error to throw after a failed run. A run with the input null continues a stopped turn. It gets a clearer
 * error if there was no turn to continue.
 *
 * @param thread The thread id of the run, undefined if it has none, or null if the agent keeps no threads.
 */
export function explainNothingToGoOn(error: unknown, input: unknown, thread: unknown): unknown {
  if (!isEmptyInput(error) || (input !== null && input !== undefined)) return error;
  const why =
    thread === null
      ? "this agent has no checkpointer, and so no thread"
      : thread === undefined
        ? "no thread was named with { configurable: { thread_id: … } }"
        : `nothing was asked on the thread ${JSON.stringify(thread)} yet`;
  return new InvalidInputError(`The input is ${input}, which resumes a stopped turn, but ${why}.`);
}

/** Tells whether an error is LangGraph's `EmptyInputError`, even from another copy of the package. */
function isEmptyInput(error: unknown): boolean {
  return error instanceof Error && error.name === "EmptyInputError";
}
