import { undefinedOn } from "../../../base/attempted.js";
import { NotWaitingError } from "../../../base/errors.js";
import type { DecisionType } from "../../../core/state/decision-types.js";
import { reopenTurn } from "../../../core/turns/continue-turn.js";
import type { ThreadStatus } from "../../../threads/checkpoints/thread-row.js";
import { givenAnswer } from "../../deciding/given-answer.js";
import type { Front, Io } from "../../io.js";
import type { AgentCommandOptions } from "../../program/commands.js";
import { type ExitCode, exitCodes } from "../../program/exit-codes.js";
import { shellWords } from "../../screen/screen-text.js";
import { tellAbsent, threadCommand } from "../../session/notices.js";
import { onKeptThread } from "../../session/on-thread.js";
import { runOnlyTurn } from "../../session/run-turn.js";
import { openSession, type Session } from "../../session/session.js";
import { checkTools, questionFor } from "../../session/waiting.js";

/** Goes on with the unfinished turn of a thread, or with one that ended at a limit, and prints its answer. If it waits for a person, they are asked. */
export function resumeThread(id: string, options: AgentCommandOptions, io: Io, front: Front): Promise<ExitCode> {
  return onKeptThread(id, options, io, async (place) => {
    await using session = await openSession(place, options, io);
    tellAbsent(session, options, io);
    const { status, lastQuestion: asked = "" } = place.found;
    if (status === "idle" && !(await isReopened(session))) {
      io.stderr.write("There is nothing to resume: the thread's last turn has ended.\n");
      return exitCodes.answered;
    }
    const start = (await questionFor(session)) ?? null;
    if (start === null) await checkTools(undefined, session);
    return await runOnlyTurn(session, { asked, start }, options, io, front);
  });
}

/** Opens the last turn again if it ended at a limit. Returns false if it has its answer. */
async function isReopened({ agent, thread }: Session): Promise<boolean> {
  return (await reopenTurn(agent, thread).catch(undefinedOn("no-turn-to-continue"))) !== undefined;
}

/** The arguments of the command: the thread's id, and the words of a decision. */
interface DecideArguments {
  readonly id: string;
  readonly decision: DecisionType | undefined;
  readonly text: string;
}

type DecideOptions = AgentCommandOptions & { readonly action?: string };

/** Takes decisions about the calls that a thread waits with, goes on with its turn, and prints the answer. */
export function decideThread(words: DecideArguments, options: DecideOptions, io: Io, front: Front): Promise<ExitCode> {
  return onKeptThread(words.id, options, io, async (place) => {
    await using session = await openSession(place, options, io);
    tellAbsent(session, options, io);
    const { id, status, lastQuestion: asked = "" } = place.found;
    const start = await questionFor(session);
    if (start === undefined) throw new NotWaitingError(id, `${reasons[status]}${wayOn(id, status)}`);
    const command = (more: readonly string[]) => threadCommand("decide", session, io, more);
    const answererOf = await givenAnswer(start, { ...words, action: options.action, command }, io);
    return await runOnlyTurn(session, { asked, start, answererOf }, options, io, front);
  });
}

const reasons: Readonly<Record<ThreadStatus, string>> = {
  idle: "its last turn has ended",
  running: "a run uses it now, perhaps because somebody has decided",
  waiting: "somebody has just decided",
  failed: "its last turn failed",
  interrupted: "its last turn was stopped",
};

function wayOn(thread: string, status: ThreadStatus): string {
  if (status !== "failed" && status !== "interrupted") return "";
  return `. "glassloop threads resume ${shellWords([thread])}" resumes it`;
}
