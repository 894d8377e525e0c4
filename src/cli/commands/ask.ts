import type { Front, Io } from "../io.js";
import type { AgentCommandOptions } from "../program/commands.js";
import type { ExitCode } from "../program/exit-codes.js";
import { beginNotices } from "../session/notices.js";
import { onThread } from "../session/on-thread.js";
import { readQuestion } from "../session/read-question.js";
import { runOnlyTurn } from "../session/run-turn.js";
import { openSession } from "../session/session.js";

type AskOptions = AgentCommandOptions & { readonly file?: readonly string[] };

/**
 * Asks one question, and prints the answer to stdout.
 *
 * @param words The words of the question. `readQuestion` adds the pipe and the files.
 */
export function ask(words: readonly string[], options: AskOptions, io: Io, front: Front): Promise<ExitCode> {
  return onThread(options, io, async (place) => {
    const question = await readQuestion(words, options.file ?? [], io);
    await using session = await openSession(place, options, io);
    await beginNotices(session, options, io);
    return await runOnlyTurn(session, question, options, io, front);
  });
}
