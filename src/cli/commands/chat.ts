import type { Front, Io } from "../io.js";
import type { AgentCommandOptions } from "../program/agent-command.js";
import { type ExitCode, exitCodes } from "../program/exit-codes.js";
import { interruptible } from "../program/interruptible.js";
import { coloursFor } from "../screen/colours.js";
import { LineReader } from "../screen/line-reader.js";
import { labelled } from "../screen/screen-text.js";
import { beginNotices, tellLeaving } from "../session/notices.js";
import { onThread } from "../session/on-thread.js";
import { runTurn } from "../session/run-turn.js";
import { openSession, type Session } from "../session/session.js";
import { viewOf } from "../session/view-of.js";

/**
 * Answers questions on one thread: the lines that a person types at a prompt, or the lines of a pipe. If a turn fails,
 * the error is shown and the next question is answered.
 *
 * @returns The exit code; for a pipe, the worst exit code of its turns.
 */
export function chat(options: AgentCommandOptions, io: Io, front: Front): Promise<ExitCode> {
  return onThread(options, io, async (thread) => {
    await using session = await openSession(thread, options, io.env);
    await beginNotices(session, options, io);
    return await interruptible(async (interrupted) => {
      const exitCode = await answerLines(session, interrupted, options, io, front);
      const isStopped = interrupted.aborted || exitCode === exitCodes.terminated;
      if (isStopped || !options.quiet) await tellLeaving(session, isStopped, io, front);
      return interrupted.aborted ? exitCodes.interrupted : exitCode;
    });
  });
}

async function answerLines(
  session: Session,
  interrupted: AbortSignal,
  options: AgentCommandOptions,
  io: Io,
  { steps }: Front,
): Promise<ExitCode> {
  const prompt = coloursFor(io.stdout, io.env).bold(">");
  using lines = new LineReader(io, `${prompt} `, interrupted);
  const view = viewOf(session.thread, options, io, steps);
  const showsSteps = !options.json && !options.quiet;
  let worst: ExitCode = exitCodes.answered;
  for await (const question of questions(lines)) {
    if (showsSteps && !lines.atTerminal) steps.write(labelled(prompt, question));
    const exitCode = await runTurn(session, question, view, AbortSignal.any([interrupted]), io);
    if (showsSteps) steps.write("\n");
    if (exitCode === exitCodes.terminated) return exitCode;
    if (interrupted.aborted) break;
    if (exitCode > worst) worst = exitCode;
  }
  return lines.atTerminal ? exitCodes.answered : worst;
}

const leaving = /^\/?(?:exit|quit)$/i;

/** Reads questions: the lines that are not empty, up to `exit` or `quit`. */
async function* questions(lines: LineReader): AsyncGenerator<string> {
  for (let line = await lines.next(); line !== undefined; line = await lines.next()) {
    const question = line.trim();
    if (leaving.test(question)) return;
    if (question !== "") yield question;
  }
}
