import { withoutSecretForms } from "../../base/secrets/without-secrets.js";
import { endOf, stopReasonSchema } from "../../core/state/decision.js";
import type { Io } from "../io.js";
import { defaultDatabase } from "../program/addresses.js";
import { type ExitCode, exitCodes } from "../program/exit-codes.js";
import type { AgentOptions } from "../program/options.js";
import { settings, typedWords } from "../program/settings.js";
import { coloursFor } from "../screen/colours.js";
import { screenText, shellWords } from "../screen/screen-text.js";
import { unbroken, wrapped } from "../screen/wrapped.js";
import type { Withheld } from "./server.js";
import type { Session } from "./session.js";

type Quiet = Pick<AgentOptions, "quiet">;

/** Writes the first notices to stderr: the thread, a key that stays here, and who answers if nobody chose a model. */
export async function beginNotices(session: Session, { quiet }: Quiet, io: Io): Promise<void> {
  tellWithheld(session.withheld, io);
  if (quiet) return;
  const isChosen = session.chosen.text(settings.model) !== undefined;
  if (session.model === "offline") {
    const way = isChosen ? "Give --model" : "Set OPENAI_API_KEY or give --model";
    tell(`Offline rules answer here, not a language model: they calculate and quote documents. ${way} to use one.`, io);
  } else if (!isChosen) {
    tell(`${session.model} answers, as OPENAI_API_KEY is set. Give --model to use another one.`, io);
  }
  tell(`Thread ${session.thread}${await threadSoFar(session, io)}`, io);
}

/** Tells which keys stay here, and how to send them. */
export function tellWithheld(withheld: readonly Withheld[], io: Pick<Io, "stderr" | "env">): void {
  for (const { setting, address, file } of withheld) {
    const option = unbroken(shellWords(typedWords(setting, address)));
    tell(`Your key is not sent to ${address}, as only ${file} names it. Add ${option} to send it.`, io);
  }
}

/** Tells a person at a terminal what a chat understands. */
export function tellHowToChat(io: Io): void {
  tell("Ask something. /help shows the commands, /exit leaves.", io);
}

/** Tells that Ctrl-C stopped a turn, and how to go on. */
export function tellStopped(io: Io): void {
  tell('Stopped. The shown part is kept: ask for the rest, such as "continue", or ask something else.', io);
}

/** Describes the turns so far, as words to follow the thread's id. */
async function threadSoFar(session: Session, io: Io): Promise<string> {
  const { agent, thread, threads } = session;
  const status = (await threads.get(thread))?.status;
  if (status === "running") return ". It is in use at the moment.";
  const { values, next } = await agent.getState({ configurable: { thread_id: thread } });
  const turns = values.turn?.number ?? 0;
  if (turns === 0) return "";
  const count = `, ${turns} ${turns === 1 ? "turn" : "turns"} so far`;
  if (next.length === 0) return count;
  const [what, way, command] =
    status === "waiting"
      ? (["waits for a person", "Decide", "decide"] as const)
      : (["was stopped before its answer", "Go on with it", "resume"] as const);
  const words = withThread(command, session, io);
  return `${count}. The last one ${what}: "${values.turn.asked}". ${way}: ${words}, or ask something else.`;
}

/** Tells how to come back to a turn that was stopped, failed, waits for a person, or ended at a limit. */
export async function tellIfStopped(exitCode: ExitCode, session: Session, io: Io): Promise<void> {
  if (isStopped(exitCode) || exitCode === exitCodes.waiting) return tellLeaving(exitCode, session, io);
  if (exitCode === exitCodes.failed && !isInMemory(session) && (await canGoOn(session))) {
    tell(`Go on with this turn: ${withThread("resume", session, io)}`, io);
  }
}

async function canGoOn({ agent, thread, threads }: Session): Promise<boolean> {
  if ((await threads.get(thread))?.status === "failed") return true;
  const { values, next } = await agent.getState({ configurable: { thread_id: thread } });
  const { data } = stopReasonSchema.safeParse(values.stopReason);
  return next.length === 0 && data !== undefined && endOf(data) === "limit";
}

/** Tells how to come back to the thread, if it is kept and not empty. */
export async function tellLeaving(exitCode: ExitCode, session: Session, io: Io): Promise<void> {
  const words = [...(isStopped(exitCode) ? ["Interrupted."] : []), ...(await comingBack(session, io))];
  if (words.length > 0) tell(words.join(" "), io);
}

function isStopped(exitCode: ExitCode): boolean {
  return exitCode === exitCodes.interrupted || exitCode === exitCodes.terminated;
}

async function comingBack(session: Session, io: Io): Promise<string[]> {
  const found = await session.threads.get(session.thread);
  if (found === undefined) return [];
  const isWaiting = found.status === "waiting";
  if (isInMemory(session)) {
    return isWaiting
      ? ["The turn waits for a person, but memory: keeps no thread. Give another --db to decide later."]
      : [];
  }
  const words = shellWords(["--thread", session.thread, ...optionsOf(session)]);
  if (!isWaiting) return [`Go on with: ${unbroken(`${io.program ?? "glassloop"} chat ${words}`)}`];
  return [`The thread waits for a person. Decide with: ${withThread("decide", session, io)}`];
}

function isInMemory({ database }: Session): boolean {
  return /^memory:/i.test(database);
}

function withThread(command: "resume" | "decide", session: Session, io: Io): string {
  return unbroken(threadCommand(command, session, io));
}

/** Returns a command of `glassloop threads` for the thread, with its options. @param more The words after them. */
export function threadCommand(
  command: "resume" | "decide",
  session: Session,
  { program = "glassloop" }: Io,
  more: readonly string[] = [],
): string {
  const { thread } = session;
  const options = optionsOf(session);
  const words = thread.startsWith("-") ? [...options, "--", thread] : [thread, ...options];
  return `${program} threads ${command} ${shellWords([...words, ...more])}`;
}

/** Returns the options that a command needs to go on with the thread. */
function optionsOf({ database, again }: Session): string[] {
  return [...(database === defaultDatabase ? [] : ["--db", database]), ...again];
}

function tell(sentence: string, { stderr, env }: Pick<Io, "stderr" | "env">): void {
  stderr.write(`${coloursFor(stderr, env).dim(wrapped(screenText(withoutSecretForms(sentence)), stderr))}\n`);
}
