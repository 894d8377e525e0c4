import type { AgentCommandOptions } from "./agent-command.js";
import { coloursFor } from "./colours.js";
import { type ExitCode, exitCodes } from "./exit-codes.js";
import type { Front } from "./front.js";
import { interruptible } from "./interruptible.js";
import type { Io } from "./io.js";
import { LineReader } from "./line-reader.js";
import { beginNotices, tellLeaving } from "./notices.js";
import { onThread } from "./on-thread.js";
import { runTurn } from "./run-turn.js";
import { labelled } from "./screen-text.js";
import { openSession } from "./session.js";
import { viewOf } from "./view-of.js";

/**
 * Answers one question after the other on one thread: what a person types at a prompt, or the lines of a pipe. A turn
 * that fails is told, and the next question is answered all the same.
 *
 * @returns For a pipe the worst of its turns' exit codes.
 */
export function chat(options: AgentCommandOptions, io: Io, front: Front): Promise<ExitCode> {
  return onThread(options, io, async (thread) => {
    await using session = await openSession(thread, options, io.env);
    await beginNotices(session, options, io);
    const prompt = `${coloursFor(io.stdout, io.env).bold(">")} `;
    using lines = new LineReader(io, prompt);
    const view = viewOf(thread, options, io, front.steps);
    const showsSteps = !options.json && !options.quiet;

    const answerNext = async (interrupted: AbortSignal): Promise<ExitCode | undefined> => {
      const question = await nextQuestion(lines, interrupted);
      if (interrupted.aborted) return exitCodes.interrupted;
      if (question === undefined) return undefined;
      if (showsSteps && !lines.atTerminal) front.steps.write(labelled(prompt.trim(), question));
      const exitCode = await runTurn(session, question, view, interrupted, io);
      if (showsSteps) front.steps.write("\n");
      return interrupted.aborted ? exitCodes.interrupted : exitCode;
    };

    let worst: ExitCode = exitCodes.answered;
    let exitCode = await interruptible(answerNext);
    while (exitCode !== undefined && exitCode !== exitCodes.interrupted) {
      if (exitCode > worst) worst = exitCode;
      exitCode = await interruptible(answerNext);
    }
    const interrupted = exitCode === exitCodes.interrupted;
    if (interrupted || !options.quiet) await tellLeaving(session, interrupted, io, front);
    return exitCode ?? (lines.atTerminal ? exitCodes.answered : worst);
  });
}

const leaving = /^\/?(?:exit|quit)$/i;

/** The next line with words in it; undefined at the end and when the words are to leave. */
async function nextQuestion(lines: LineReader, interrupted: AbortSignal): Promise<string | undefined> {
  let line: string | undefined = "";
  while (line === "") line = (await lines.next(interrupted))?.trim();
  return line === undefined || leaving.test(line) ? undefined : line;
}
