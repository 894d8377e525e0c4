import { endWithStop } from "../../../base/end-with-stop.js";
import type { Outcome } from "../../state/decision.js";

/** Tells the model that the schema of a tool refuses an input. */
export function wrongInput(name: string, reason: string): Outcome {
  return {
    observation: `${name} was not run, because it does not take this input. ${endWithStop(reason)} Call ${name} again with an input of that form.`,
    status: "error",
  };
}

/** Adds what the model is told beside the result of a call. */
export function withNote<Result extends Pick<Outcome, "note">>(note: string | undefined, result: Result): Result {
  return note === undefined ? result : { ...result, note: result.note ? `${result.note}\n${note}` : note };
}
