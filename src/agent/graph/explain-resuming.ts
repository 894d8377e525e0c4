import { ThreadsDatabaseError } from "../../base/errors.js";

/** Returns the error of a run. An error of its database then says whether the run can be resumed. */
export function explainResuming(error: unknown, canResume: boolean): unknown {
  if (!(error instanceof ThreadsDatabaseError)) return error;
  const { database, reason, cause } = error;
  return new ThreadsDatabaseError(database, `${reason} ${canResume ? resume : askAgain}`, { cause, canResume });
}

const resume = "The run can be resumed: agent.invoke(null, config) goes on from the last step that was saved.";
const askAgain = "The run cannot be resumed: its question may not have been saved. Ask it again.";
