import { ThreadNotFoundError } from "../../../base/errors.js";
import type { Front, Io } from "../../io.js";
import { databaseUrl } from "../../program/addresses.js";
import type { AgentCommandOptions } from "../../program/agent-command.js";
import { type ExitCode, exitCodes, UsageError } from "../../program/exit-codes.js";
import { interruptible } from "../../program/interruptible.js";
import { findThread } from "../../session/find-thread.js";
import { tellIfStopped } from "../../session/notices.js";
import { onThread } from "../../session/on-thread.js";
import { isStillToMake } from "../../session/open-kept-threads.js";
import { runTurn } from "../../session/run-turn.js";
import { openSession } from "../../session/session.js";
import { viewOf } from "../../session/view-of.js";

/** Goes on with the unfinished turn of a thread, and prints its answer. */
export function resumeThread(thread: string, options: AgentCommandOptions, io: Io, front: Front): Promise<ExitCode> {
  return onThread({ ...options, thread }, io, async () => {
    if (options.thread !== undefined) {
      throw new UsageError("Give the thread's id alone, without --thread: glassloop threads resume ID.");
    }
    if (isStillToMake(databaseUrl(options.db, io.env))) throw new ThreadNotFoundError(thread);
    await using session = await openSession(thread, options, io.env);
    const { status, lastQuestion = "" } = await findThread(session.threads, thread);
    if (status === "idle") {
      io.stderr.write("There is nothing to go on with: the thread's last turn has ended.\n");
      return exitCodes.answered;
    }
    if (status === "waiting") {
      io.stderr.write(
        "This thread waits for a person's answer to a question of its agent. Give the answer in the program that runs " +
          "the agent: agent.invoke(new Command({ resume: … }), …).\n",
      );
      return exitCodes.failed;
    }
    const view = viewOf(thread, options, io, front.steps);
    const exitCode = await interruptible((interrupted) => runTurn(session, lastQuestion, view, interrupted, io, null));
    await tellIfStopped(exitCode, session, io, front);
    return exitCode;
  });
}
