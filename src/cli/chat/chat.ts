import { createInterface } from "node:readline";
import { GlassloopError } from "../../base/errors.js";
import { Person } from "../deciding/person.js";
import type { Io } from "../io.js";
import { type ExitCode, exitCodes } from "../program/exit-codes.js";
import { interruptible } from "../program/interruptible.js";
import type { AgentOptions } from "../program/options.js";
import { reportError } from "../program/report-error.js";
import { ask } from "../screen/ask.js";
import { coloursFor } from "../screen/colours.js";
import { labelled } from "../screen/screen-text.js";
import { beginNotices, tellHowToChat, tellIfStopped, tellLeaving, tellStopped } from "../session/notices.js";
import { onThread } from "../session/on-thread.js";
import { runTurn, type TurnToRun } from "../session/run-turn.js";
import { openSession, type Session } from "../session/session.js";
import { viewOf } from "../session/view-of.js";
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
export function chat(options: AgentOptions, io: Io): Promise<ExitCode> {
  return onThread(options, io, async (place) => {
    await using session = await openSession(place, options, io);
    await beginNotices(session, options, io);
    if (io.stdin.isTTY && !options.quiet) tellHowToChat(io);
    const exitCode = await answerEntries(session, options, io);
    await (options.quiet ? tellIfStopped : tellLeaving)(exitCode, session, io);
    return exitCode;
  });
}

async function answerEntries(session: Session, options: AgentOptions, io: Io): Promise<ExitCode> {
  const { stdin, stdout } = io;
  const isAtTerminal = stdin.isTTY === true;
  const showsLabels = !options.json && !options.quiet;
  const prompt = coloursFor(stdout, io.env).bold(">");
  let worst: ExitCode = exitCodes.answered;
  for await (const turn of turnsOf(session, `${prompt} `, io)) {
    if (turn === "refused") {
      worst = exitCodes.failed;
      continue;
    }
    if (showsLabels && !isAtTerminal) stdout.write(labelled(prompt, turn.asked));
    const view = viewOf(options, io, stdout);
    const answerer = isAtTerminal ? new Person(io) : undefined;
    const exitCode = await interruptible((stopped) => runTurn(session, { ...turn, answerer }, view, stopped, io));
    if (showsLabels) stdout.write("\n");
    const isLeft = exitCode === exitCodes.interrupted && !isAtTerminal;
    if (exitCode === exitCodes.terminated || exitCode === exitCodes.waiting || isLeft) return exitCode;
    if (exitCode === exitCodes.interrupted) tellStopped(io);
    if (exitCode > worst) worst = exitCode;
  }
  return isAtTerminal ? exitCodes.answered : worst;
}

/** Reads turns: at a terminal first the one that waits for the person, and then what they enter. */
async function* turnsOf(session: Session, prompt: string, io: Io): AsyncGenerator<TurnToRun | "refused"> {
  const { threads, thread } = session;
  const start = io.stdin.isTTY ? await questionFor(session) : undefined;
  if (start !== undefined) yield { asked: (await threads.get(thread))?.lastQuestion ?? "", start };
  const isThere = async () => (await threads.get(thread)) !== undefined;
  let wasThere = await isThere();
  async function check(): Promise<void> {
    if (!wasThere || (await isThere())) return;
    wasThere = false;
    throw new GlassloopError("lost-thread", lostThread(thread));
  }
  for await (const entry of entriesOf(prompt, io)) {
    const asked = entry.trim();
    if (asked === "") continue;
    if (/^(?:exit|quit)$/i.test(asked)) return;
    const turn = isSlashCommand(entry) ? await afterCommand(asked, session, io) : { asked, check };
    if (turn === "leave") return;
    if (turn === undefined) continue;
    yield turn;
    wasThere ||= await isThere();
  }
}

function lostThread(thread: string): string {
  return `The thread "${thread}" was removed meanwhile, so this was not asked: ask again to begin a new thread with this id.`;
}

/** Runs a command. An error is shown, and the chat goes on. */
async function afterCommand(entry: string, session: Session, io: Io) {
  try {
    return await runSlashCommand(entry, session, io);
  } catch (error) {
    reportError(error, io, session.database);
    return "refused";
  }
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
