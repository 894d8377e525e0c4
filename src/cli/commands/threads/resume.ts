import { hasCode } from "../../../base/errors.js";
import { reopenTurn } from "../../../core/turns/continue-turn.js";
import { withPerson } from "../../deciding/with-person.js";
import type { Front, Io } from "../../io.js";
import type { AgentCommandOptions } from "../../program/agent-command.js";
import { type ExitCode, exitCodes } from "../../program/exit-codes.js";
import { tellAbsent, tellIfStopped } from "../../session/notices.js";
import { onKeptThread } from "../../session/on-thread.js";
import { runTurn } from "../../session/run-turn.js";
import { openSession, type Session } from "../../session/session.js";
import { viewOf } from "../../session/view-of.js";
import { checkTools, waitingIn } from "../../session/waiting.js";

/** Opens the last turn again if it ended at a limit. Returns false if it has its answer. */
async function isReopened({ agent, thread }: Session): Promise<boolean> {
  try {
    await reopenTurn(agent, thread);
    return true;
  } catch (error) {
    if (hasCode(error, "no-turn-to-continue")) return false;
    throw error;
  }
}

/** Goes on with the unfinished turn of a thread, or with one that ended at a limit, and prints its answer. If it waits for a person, they are asked. */
export function resumeThread(id: string, options: AgentCommandOptions, io: Io, front: Front): Promise<ExitCode> {
  return onKeptThread(id, options, io, async (place) => {
    await using session = await openSession(place, options, io);
    tellAbsent(session, options, io);
    const { status, lastQuestion: asked = "" } = place.found;
    if (status === "idle" && !(await isReopened(session))) {
      io.stderr.write("There is nothing to go on with: the thread's last turn has ended.\n");
      return exitCodes.answered;
    }
    const start = (await waitingIn(session)) ?? null;
    if (start !== null) await checkTools(start, session);
    const view = await viewOf(options, io, front.steps);
    const exitCode = await withPerson(io, (answerer, interrupted) =>
      runTurn(session, { asked, start, answerer }, view, interrupted, io),
    );
    await tellIfStopped(exitCode, session, io, front);
    return exitCode;
  });
}
