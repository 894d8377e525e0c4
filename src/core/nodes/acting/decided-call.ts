import { endWithStop } from "../../../base/end-with-stop.js";
import { toArguments } from "../../../tool-inputs/tool-input.js";
import type { ApprovalDecision } from "../../state/approval.js";
import type { AgentAction, Outcome } from "../../state/decision.js";

/** What was judged about the call of an action: the input that its tool runs with, or the outcome in its place. */
export type Verdict = { readonly id: string } & (
  | { readonly input: Readonly<Record<string, unknown>>; readonly instead?: undefined }
  | { readonly instead: Outcome; readonly input?: undefined }
);

/** Returns the outcome of an action whose tool does not run; undefined if it may run. */
export function outcomeInPlace(
  { tool }: AgentAction,
  decision: ApprovalDecision | undefined,
  verdict: Verdict | undefined,
): Outcome | undefined {
  if (verdict?.instead) return verdict.instead;
  if (decision?.type === "answer") return { observation: decision.answer, status: "success" };
  if (decision?.type !== "refuse") return undefined;
  const reason = decision.reason?.trim();
  const observation =
    `A person refused this call of ${tool}${reason ? `: ${endWithStop(reason)}` : "."} The tool did not run. Do not make ` +
    "the same call again. Find another way, or give the final answer and say what was refused.";
  return { observation, status: "error" };
}

/** Tells the model that the schema of a tool refuses an input. */
export function wrongInput(name: string, reason: string): Outcome {
  return {
    observation: `${name} was not run, because it does not take this input. ${endWithStop(reason)} Call ${name} again with an input of that form.`,
    status: "error",
  };
}

/** Tells the model that nobody can decide about a call, as the schema of its tool makes another input of it each time. */
export function neverTheSame(name: string): Outcome {
  const observation =
    `${name} was not run. A person has to approve its input, and its schema makes another input of this call each time. ` +
    "Do not make the same call again. Find another way, or give the final answer and say what could not be approved.";
  return { observation, status: "error" };
}

/** Tells the model that a call with effects may not be whole, and that nobody can be asked about it. */
export function perhapsCut(name: string, finishReason: string): Outcome {
  const observation =
    `${name} was not run. The server ended the reply with the finish reason "${finishReason}", so the call may not be whole, and ` +
    "nobody can be asked about it. Do not make the same call again. Find another way, or give the final answer and say what was not done.";
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
