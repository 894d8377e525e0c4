import { text } from "node:stream/consumers";
import { withPerson } from "../deciding/with-person.js";
import type { Front, Io } from "../io.js";
import type { AgentCommandOptions } from "../program/agent-command.js";
import { type ExitCode, UsageError } from "../program/exit-codes.js";
import { beginNotices, tellIfStopped } from "../session/notices.js";
import { onThread } from "../session/on-thread.js";
import { runTurn } from "../session/run-turn.js";
import { openSession } from "../session/session.js";
import { viewOf } from "../session/view-of.js";

/**
 * Asks one question, and prints the answer to stdout.
 *
 * @param words The words of the question. The question is read from stdin if there are no words, or only `-`.
 */
export function ask(words: readonly string[], options: AgentCommandOptions, io: Io, front: Front): Promise<ExitCode> {
  return onThread(options, io, async (thread) => {
    const question = await readQuestion(words, io);
    await using session = await openSession(thread, options, io.env);
    await beginNotices(session, options, io);
    const view = viewOf(options, io, front.steps);
    const exitCode = await withPerson(io, (answerer, interrupted) =>
      runTurn(session, { asked: question, answerer }, view, interrupted, io),
    );
    await tellIfStopped(exitCode, session, io, front);
    return exitCode;
  });
}

async function readQuestion(words: readonly string[], { stdin }: Io): Promise<string> {
  if (words.length === 0 && stdin.isTTY) {
    throw new UsageError('Ask something, such as glassloop ask "What is 2 + 2?", or pipe a question in.');
  }
  const piped = words.length === 0 || (words.length === 1 && words[0] === "-");
  const question = (piped ? await text(stdin) : words.join(" ")).trim();
  if (question === "") throw new UsageError('The question is empty. Ask something, such as "What is 2 + 2?".');
  return question;
}
