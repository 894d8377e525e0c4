import { Person } from "../deciding/person.js";
import type { Front, Io } from "../io.js";
import type { AgentCommandOptions } from "../program/agent-command.js";
import { type ExitCode, exitCodes } from "../program/exit-codes.js";
import { interruptible } from "../program/interruptible.js";
import { coloursFor } from "../screen/colours.js";
import { LineReader } from "../screen/line-reader.js";
import { labelled } from "../screen/screen-text.js";
import { beginNotices, tellIfStopped, tellLeaving } from "../session/notices.js";
import { onThread } from "../session/on-thread.js";
import { runTurn, type TurnToRun } from "../session/run-turn.js";
import { openSession, type Session } from "../session/session.js";
import { viewOf } from "../session/view-of.js";
import { checkTools, waitingIn } from "../session/waiting.js";

/**
 * Answers questions on one thread: the lines that a person types at a prompt, or the lines of a pipe. If a turn fails,
 * the error is shown and the next question is answered. A person at a terminal is asked what the agent asks. A pipe ends
 * there, as its next line is no answer.
 *
 * @returns The exit code; for a pipe, the worst exit code of its turns.
 */
export function chat(options: AgentCommandOptions, io: Io, front: Front): Promise<ExitCode> {
  return onThread(options, io, async (thread) => {
    await using session = await openSession(thread, options, io.env);
    await beginNotices(session, options, io);
    return await interruptible(async (interrupted) => {
      const exitCode = await answerLines(session, interrupted, options, io, front);
      const ended = interrupted.aborted ? exitCodes.interrupted : exitCode;
      await (options.quiet ? tellIfStopped : tellLeaving)(ended, session, io, front);
      return ended;
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
  const answerer = lines.atTerminal ? new Person(lines, io) : undefined;
  const view = viewOf(options, io, steps);
  const showsSteps = !options.json && !options.quiet;
  let worst: ExitCode = exitCodes.answered;
  for await (const turn of turns(session, lines)) {
    if (showsSteps && !lines.atTerminal) steps.write(labelled(prompt, turn.asked));
    const exitCode = await runTurn(session, { ...turn, answerer }, view, AbortSignal.any([interrupted]), io);
    if (showsSteps) steps.write("\n");
    if (exitCode === exitCodes.terminated || exitCode === exitCodes.waiting) return exitCode;
    if (interrupted.aborted) break;
    if (exitCode > worst) worst = exitCode;
  }
  return lines.atTerminal ? exitCodes.answered : worst;
}

/** Reads turns: at a terminal first the one that waits for the person, and then questions. */
async function* turns(session: Session, lines: LineReader): AsyncGenerator<TurnToRun> {
  const waiting = lines.atTerminal ? await waitingIn(session) : undefined;
  if (waiting !== undefined) {
    await checkTools(waiting, session);
    const { lastQuestion = "" } = (await session.threads.get(session.thread)) ?? {};
    yield { asked: lastQuestion, start: waiting };
  }
  for await (const asked of questions(lines)) yield { asked };
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
