import { endWithStop } from "../../../base/end-with-stop.js";
import type { ApprovalDecision } from "../../state/approval.js";
import { type AgentAction, type Outcome, toArguments } from "../../state/decision.js";

/** Returns the outcome of an action whose tool does not run; undefined if a person lets it run. */
export function outcomeInPlace({ tool }: AgentAction, decision: ApprovalDecision | undefined): Outcome | undefined {
  if (decision?.type === "answer") return { observation: decision.answer, status: "success" };
  if (decision?.type !== "refuse") return undefined;
  const reason = decision.reason?.trim();
  const observation =
    `A person refused this call of ${tool}${reason ? `: ${endWithStop(reason)}` : "."} The tool did not run. Do not make ` +
    "the same call again. Find another way, or give the final answer and say what was refused.";
  return { observation, status: "error" };
}

/** Tells the model which input a person wrote in the place of its own. */
export function withEdit(
  { tool, toolInput }: AgentAction,
  input: Readonly<Record<string, unknown>>,
  outcome: Outcome,
): Outcome {
  const note =
    `You called ${tool} with ${JSON.stringify(toArguments(toolInput))}. A person changed the input to ` +
    `${JSON.stringify(input)}. The result is for that input.`;
  return withNote(note, outcome);
}

/** Adds what the model is told beside the result of a call. */
export function withNote<Result extends Pick<Outcome, "note">>(note: string | undefined, result: Result): Result {
  return note === undefined ? result : { ...result, note: result.note ? `${result.note}\n${note}` : note };
}
