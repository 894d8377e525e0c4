import type { Io } from "../../io.js";
import { exitCodes } from "../../program/exit-codes.js";
import { type AgentOptions, type End, type NewCommand, withAgentOptions } from "../../program/options.js";
import type { Session } from "../../session/session.js";

export function declare(command: NewCommand, io: Io, end: End) {
  return withAgentOptions(command)
    .argument("<id>", "the thread's id")
    .action(async (id, options) => end(await resume(id, options, io)));
}

/** Goes on with the unfinished turn of a thread, or with one that ended at a limit, and prints its answer. If it waits for a person, they are asked. */
async function resume(id: string, options: AgentOptions, io: Io) {
  const { openKeptSession, questionFor, runTurn, tellIfStopped } = await import("../../session/index.js");
  await using session = await openKeptSession(id, options, io);
  const { status, lastQuestion: asked = "" } = session.found;
  if (status === "idle" && !(await isReopened(session))) {
    io.stderr.write("There is nothing to resume: the thread's last turn has ended.\n");
    return exitCodes.answered;
  }
  const exitCode = await runTurn(session, { asked, start: (await questionFor(session)) ?? null });
  await tellIfStopped(exitCode, session);
  return exitCode;
}

/** Opens the last turn again if it ended at a limit. Returns false if it has its answer. */
async function isReopened({ agent, thread }: Session): Promise<boolean> {
  const [{ undefinedOn }, { reopenTurn }] = await Promise.all([
    import("../../../base/attempted.js"),
    import("../../../turns/continue-turn.js"),
  ]);
  return (await reopenTurn(agent, thread).catch(undefinedOn("no-turn-to-continue"))) !== undefined;
}
