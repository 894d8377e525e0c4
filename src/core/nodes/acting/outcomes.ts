import { endWithStop } from "../../../base/end-with-stop.js";
import type { Outcome } from "../../state/decision.js";

/** Tells the model that the schema of a tool refuses an input. */
export function wrongInput(name: string, reason: string): Outcome {
  return {
    observation: `${name} was not run, because it does not take this input. ${endWithStop(reason)} Call ${name} again with an input of that form.`,
    status: "error",
  };
}

/** Tells the model that a call with effects may not be whole, and that nobody can be asked about it. */
export function perhapsCut(name: string, finishReason: string): Outcome {
  const observation =
    `${name} was not run. The server ended the reply with the finish reason "${finishReason}", so the call may not be whole, and ` +
    "nobody can be asked about it. Do not make the same call again. Find another way, or give the final answer and say what was not done.";
  return { observation, status: "error" };
}

/** Adds what the model is told beside the result of a call. */
export function withNote<Result extends Pick<Outcome, "note">>(note: string | undefined, result: Result): Result {
  return note === undefined ? result : { ...result, note: result.note ? `${result.note}\n${note}` : note };
}
