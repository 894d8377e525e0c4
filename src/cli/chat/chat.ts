import { createInterface } from "node:readline";
import { GlassloopError } from "../../base/errors.js";
import type { Io } from "../io.js";
import { type ExitCode, exitCodes } from "../program/exit-codes.js";
import type { AgentOptions } from "../program/options.js";
import { ask } from "../screen/ask.js";
import { coloursFor } from "../screen/colours.js";
import { labelled } from "../screen/screen-text.js";
import { tell } from "../screen/wrapped.js";
import { beginNotices, tellIfStopped, tellLeaving } from "../session/notices.js";
import { runTurn, type TurnToRun, tellFailure } from "../session/run-turn.js";
import { openSession, type Session } from "../session/session.js";
import { questionFor } from "../session/waiting.js";
import { readHistory, writeHistory } from "./history.js";
import { isSlashCommand, runSlashCommand } from "./slash-commands.js";

/**
 * Answers questions on one thread: what a person enters at a prompt, or the lines of a pipe. Entries with a slash are
 * commands. If a turn fails, the error is shown and the next question is answered. When the agent asks a question, a person
 * at a terminal is asked. A chat over a pipe ends there, because the next line of the pipe is not an answer.
 *
 * @returns The exit code; for a pipe, the worst exit code of its turns.
 */
export async function chat(options: AgentOptions, io: Io): Promise<ExitCode> {
  await using session = await openSession(options, io);
  beginNotices(session);
  if (io.stdin.isTTY && !options.quiet) tell("Ask something. /help shows the commands, /exit leaves.", io);
  const exitCode = await answerEntries(session);
  await (options.quiet ? tellIfStopped : tellLeaving)(exitCode, session);
  return exitCode;
}

async function answerEntries(session: Session): Promise<ExitCode> {
  const { io, options } = session;
  const { stdin, stdout } = io;
  const isAtTerminal = stdin.isTTY === true;
  const showsLabels = !options.json && !options.quiet;
  const prompt = coloursFor(stdout, io.env).bold(">");
  let worst: ExitCode = exitCodes.answered;
  for await (const turn of turnsOf(session, `${prompt} `)) {
    if (turn === "refused") {
      worst = exitCodes.failed;
      continue;
    }
    if (showsLabels && !isAtTerminal) stdout.write(labelled(prompt, turn.asked));
    const exitCode = await runTurn(session, turn, stdout);
    if (showsLabels) stdout.write("\n");
    const isStopped = exitCode === exitCodes.interrupted;
    if (exitCode === exitCodes.terminated || exitCode === exitCodes.waiting || (isStopped && !isAtTerminal))
      return exitCode;
    if (isStopped)
      tell('Stopped. The shown part is kept: ask for the rest, such as "continue", or ask something else.', io);
    if (exitCode > worst) worst = exitCode;
  }
  return isAtTerminal ? exitCodes.answered : worst;
}

/** Reads turns: at a terminal first the one that waits for the person, and then what they enter. */
async function* turnsOf(session: Session, prompt: string): AsyncGenerator<TurnToRun | "refused"> {
  const { threads, thread, found, io } = session;
  if (io.stdin.isTTY && found?.status === "waiting")
    yield { asked: found.lastQuestion ?? "", start: (await questionFor(session)) ?? null };
  const isThere = async () => (await threads.get(thread)) !== undefined;
  let wasThere = found !== undefined;
  async function turnOf(entry: string): Promise<TurnToRun | "leave" | undefined> {
    if (isSlashCommand(entry)) return runSlashCommand(entry.trim(), session);
    if (!wasThere || (await isThere())) return { asked: entry.trim() };
    wasThere = false;
    throw new GlassloopError("lost-thread", lostThread(thread));
  }
  for await (const entry of entriesOf(prompt, io)) {
    if (entry.trim() === "") continue;
    if (/^\s*(?:exit|quit)\s*$/i.test(entry)) return;
    const turn = await turnOf(entry).catch((error: unknown) => {
      tellFailure(error, session);
      return "refused" as const;
    });
    if (turn === "leave") return;
    if (turn === undefined) continue;
    yield turn;
    wasThere ||= await isThere();
  }
}

function lostThread(thread: string): string {
  return `The thread "${thread}" was removed meanwhile, so this was not asked: ask again to begin a new thread with this id.`;
}

/** Reads what a person enters, or the lines of a pipe. */
async function* entriesOf(prompt: string, io: Io): AsyncGenerator<string> {
  if (!io.stdin.isTTY) {
    yield* createInterface({ input: io.stdin, crlfDelay: Number.POSITIVE_INFINITY });
    return;
  }
  const history = await readHistory(io.env);
  for (;;) {
    const entry = await ask(prompt, io, { history });
    if (entry === undefined) return;
    await writeHistory(history, io.env);
    yield entry;
  }
}
