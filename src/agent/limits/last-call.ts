import type { Protocol } from "../../protocols/protocol.js";
import { correctionEnd, correctionStart } from "../../protocols/reading/sections/correction-frame.js";
import type { IntermediateStep } from "../../turn/decision.js";
import type { Reached } from "./limit.js";

/**
 * Writes the text that asks a model for its last reply in a turn. It asks for the best answer from what was observed, as
 * LangChain's AgentExecutor does. It has the frame of a correction, so that a reply which repeats it is read without it.
 */
export function lastRequest({ why }: Reached, { exampleAnswer = "" }: Protocol): string {
  const lines = [
    correctionStart,
    `No more calls will be made: ${why}.`,
    "Give the best answer to the question now, from what you know and have observed. Say what is missing in it.",
    ...(exampleAnswer && ["Reply in this form:", exampleAnswer]),
    correctionEnd,
  ];
  return lines.join("\n");
}

/** Returns the step that stands at the end of the prompt for a last answer. The state has no such step. */
export function lastStep(request: string): IntermediateStep {
  return {
    reply: { text: "I have to give the answer now.", toolCalls: [], invalidToolCalls: [] },
    decision: { kind: "unparseable", why: "", correction: request },
    results: [],
  };
}
