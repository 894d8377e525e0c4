import { isCommand } from "@langchain/langgraph";
import { z } from "zod";
import { SCRATCHPAD_KEY } from "./names.js";

const waitingSchema = z.object({ [SCRATCHPAD_KEY]: z.object({ nullResume: z.unknown() }) });

/**
 * Tells whether a run brings an answer without the id of its question. LangGraph keeps such an answer, and gives it to the
 * later runs of the same step, too. There it could answer another question.
 *
 * @param isNested True for a graph inside a node. The run of the outer graph then has the answer.
 */
export function resumesWithoutId(
  input: unknown,
  configurable: Readonly<Record<string, unknown>>,
  isNested: boolean,
): boolean {
  if (!isNested) return isCommand(input) && input.resume !== undefined;
  return waitingSchema.safeParse(configurable).data?.[SCRATCHPAD_KEY].nullResume !== undefined;
}
