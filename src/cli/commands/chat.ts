import { AttachedFiles } from "../chat/attached-files.js";
import { Chat } from "../chat/chat.js";
import { HistoryFile, historyPath } from "../chat/history-file.js";
import { completions, isSlashCommand, runSlashCommand } from "../chat/slash-commands.js";
import { Person } from "../deciding/person.js";
import type { Front, Io } from "../io.js";
import type { AgentCommandOptions } from "../program/commands.js";
import { type ExitCode, exitCodes } from "../program/exit-codes.js";
import { reportError } from "../program/report-error.js";
import { coloursFor } from "../screen/colours.js";
import { LineReader } from "../screen/line-reader.js";
import { labelled } from "../screen/screen-text.js";
import { beginNotices, tellHowToChat, tellIfStopped, tellLeaving, tellStopped } from "../session/notices.js";
import { onThread } from "../session/on-thread.js";
import { runTurn, type TurnToRun } from "../session/run-turn.js";
import { openSession, type Session } from "../session/session.js";
import { viewOf } from "../session/view-of.js";
import { questionFor } from "../session/waiting.js";

/**
 * Answers questions on one thread: the lines that a person types at a prompt, or the lines of a pipe. Lines with a slash are
 * commands. If a turn fails, the error is shown and the next question is answered. When the agent asks a question, a person
 * at a terminal is asked. A chat over a pipe ends there, because the next line of the pipe is not an answer.
 *
 * @returns The exit code; for a pipe, the worst exit code of its turns.
 */
export function chat(options: AgentCommandOptions, io: Io, front: Front): Promise<ExitCode> {
  return onThread(options, io, async (place) => {
    const goesOn = io.stdin.isTTY === true && place.found?.status === "waiting";
    const first = await openSession({ ...place, goesOn }, options, io);
    await using chat = new Chat(first, options, io, io.stdin.isTTY ? front.steps : io.stderr);
    await beginNotices(first, options, io);
    if (io.stdin.isTTY && !options.quiet) tellHowToChat(io);
    using interrupts = new Interrupts(io.stdin.isTTY === true);
    const exitCode = await answerLines(chat, interrupts, options, io, front);
    const ended = interrupts.leaving.aborted ? exitCodes.interrupted : exitCode;
    await (options.quiet ? tellIfStopped : tellLeaving)(ended, chat.session, io, front);
    return ended;
  });
}

async function answerLines(
  chat: Chat,
  interrupts: Interrupts,
  options: AgentCommandOptions,
  io: Io,
  { steps }: Front,
): Promise<ExitCode> {
  const history = new HistoryFile(io.stdin.isTTY ? historyPath(io.env) : undefined);
  const prompt = coloursFor(io.stdout, io.env).bold(">");
  using lines = new LineReader(io, `${prompt} `, interrupts.leaving, {
    history: await history.read(),
    complete: (line) => completions(line, chat),
  });
  const answerer = lines.atTerminal ? new Person(lines, io) : undefined;
  const showsLabels = !options.json && !options.quiet;
  const shown = options.show === "thinking" ? "thinking" : "steps";
  let worst: ExitCode = exitCodes.answered;
  for await (const turn of turns(chat, lines, history)) {
    if (turn === "refused") {
      worst = exitCodes.failed;
      continue;
    }
    if (showsLabels && !lines.atTerminal) steps.write(labelled(prompt, turn.asked));
    const view = await viewOf({ ...options, show: chat.showsSteps ? shown : "answer" }, io, steps);
    const exitCode = await lines.between(true, () =>
      interrupts.during((stopped) => runTurn(chat.session, { ...turn, answerer }, view, stopped, io)),
    );
    if (showsLabels) steps.write("\n");
    if (exitCode === exitCodes.terminated || exitCode === exitCodes.waiting) return exitCode;
    if (exitCode === exitCodes.answered) chat.noteAnswer();
    if (interrupts.leaving.aborted) break;
    if (exitCode === exitCodes.interrupted) tellStopped(io);
    if (exitCode > worst) worst = exitCode;
  }
  return lines.atTerminal ? exitCodes.answered : worst;
}

/** Reads turns: at a terminal first the one that waits for the person, and then what they enter. */
async function* turns(chat: Chat, lines: LineReader, history: HistoryFile): AsyncGenerator<TurnToRun | "refused"> {
  const waiting = lines.atTerminal ? await waitingTurn(chat.session) : undefined;
  if (waiting !== undefined) {
    yield waiting;
    // The limits of that turn are not those of the next ones.
    await chat.change({});
  }
  const files = new AttachedFiles(chat.io.env.HOME);
  for (let entry = await readEntry(lines); entry !== undefined; entry = await readEntry(lines)) {
    if (entry.trim() === "") {
      if (files.drop()) chat.say("The next question has no files.");
      continue;
    }
    if (/^\s*(?:exit|quit)\s*$/i.test(entry)) return;
    lines.remember(entry);
    await history.add(entry);
    const next = await afterEntry(entry, chat, lines.atTerminal ? files : undefined);
    if (next === "leave") return;
    if (next !== undefined) yield next;
  }
}

async function waitingTurn(session: Session): Promise<TurnToRun | undefined> {
  const waiting = await questionFor(session);
  if (waiting === undefined) return undefined;
  const { lastQuestion = "" } = (await session.threads.get(session.thread)) ?? {};
  return { asked: lastQuestion, start: waiting };
}

type AfterEntry = TurnToRun | "leave" | "refused" | undefined;

/** Runs a command, attaches a file, or asks a question. An error is shown, and the chat goes on. */
async function afterEntry(entry: string, chat: Chat, files: AttachedFiles | undefined): Promise<AfterEntry> {
  try {
    if (isSlashCommand(entry)) return await runSlashCommand(entry, chat);
    const attached = await files?.take(entry);
    if (attached !== undefined) {
      return chat.say(`The next line asks about:\n${attached}\nAn empty line takes it back.`);
    }
    const words = entry.trim();
    return { ...(files?.questionOf(words) ?? { asked: words }), check: () => chat.checkThread() };
  } catch (error) {
    reportError(error, chat.io);
    return "refused";
  }
}

const quotes = '"""';

/**
 * Reads what a person enters: a line, or several. A line that ends with `\` goes on in the next one. `"""` stands before and
 * after many lines. A pipe has one entry in each line.
 *
 * @returns undefined at the end of the input; an empty text if the person gave the entry up.
 */
async function readEntry(lines: LineReader): Promise<string | undefined> {
  const first = await lines.next();
  if (first === undefined) return lines.isClosed ? undefined : "";
  if (!lines.atTerminal) return first;
  const isQuoted = first.trimStart().startsWith(quotes);
  const goesOn = (entry: string) => (isQuoted ? !entry.trimEnd().endsWith(quotes) : entry.endsWith("\\"));
  let entry = isQuoted ? first.trimStart().slice(quotes.length) : first;
  while (goesOn(entry)) {
    const line = await lines.next("… ");
    if (line === undefined) return lines.isClosed ? undefined : "";
    entry = `${isQuoted ? entry : entry.slice(0, -1)}\n${line}`;
  }
  return isQuoted ? entry.trimEnd().slice(0, -quotes.length) : entry;
}

/**
 * Ctrl-C in a chat at a terminal. The first Ctrl-C stops the running turn. The second, or the first without a running turn,
 * leaves the chat. The third ends the process.
 */
class Interrupts implements Disposable {
  private readonly leave = new AbortController();
  private turn: AbortController | undefined;

  /** @param staysOpen False to leave with the first one, as for a pipe. */
  constructor(private readonly staysOpen: boolean) {
    process.on("SIGINT", this.interrupt);
  }

  /** Aborted when the chat is to be left. */
  get leaving(): AbortSignal {
    return this.leave.signal;
  }

  /** Runs a turn that Ctrl-C stops. */
  async during<T>(run: (stopped: AbortSignal) => Promise<T>): Promise<T> {
    this.turn = new AbortController();
    try {
      return await run(this.turn.signal);
    } finally {
      this.turn = undefined;
    }
  }

  [Symbol.dispose](): void {
    process.off("SIGINT", this.interrupt);
  }

  private readonly interrupt = () => {
    if (this.staysOpen && this.turn && !this.turn.signal.aborted) {
      this.turn.abort();
      return;
    }
    process.off("SIGINT", this.interrupt);
    this.leave.abort();
    this.turn?.abort();
  };
}
