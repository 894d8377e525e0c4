import { endOf, stopReasonSchema } from "../../core/state/decision.js";
import { defaultDatabase } from "../program/addresses.js";
import { type ExitCode, exitCodes } from "../program/exit-codes.js";
import { settings } from "../program/settings.js";
import { counted, shellWords } from "../screen/screen-text.js";
import { tell, unbroken } from "../screen/wrapped.js";
import type { Session } from "./session.js";

/** Writes the first notices to stderr: who answers if nobody chose a model, and the thread. */
export function beginNotices(session: Session): void {
  const { model, thread, options, io } = session;
  if (options.quiet) return;
  const isChosen = session.chosen.text(settings.model) !== undefined;
  if (model === "offline") {
    const way = isChosen ? "Give --model" : "Set OPENAI_API_KEY or give --model";
    tell(`Offline rules answer here, not a language model: they calculate and quote documents. ${way} to use one.`, io);
  } else if (!isChosen) {
    tell(`${model} answers, as OPENAI_API_KEY is set. Give --model to use another one.`, io);
  }
  tell(`Thread ${thread}${threadSoFar(session)}`, io);
}

/** Describes the turns so far, as words to follow the thread's id. */
function threadSoFar(session: Session): string {
  const { status, turns = 0, lastQuestion = "" } = session.found ?? {};
  if (turns === 0) return "";
  if (status === "running") return ". It is in use at the moment.";
  const count = `, ${counted(turns, "turn")} so far`;
  if (status === "idle") return count;
  const [what, way] =
    status === "waiting"
      ? ["waits for a person", `Decide: ${unbroken(threadCommand("decide", session))}`]
      : ["was stopped before its answer", `Go on with it: ${unbroken(threadCommand("resume", session))}`];
  return `${count}. The last one ${what}: "${lastQuestion}". ${way}, or ask something else.`;
}

/** Tells how to come back to a turn that was stopped, failed, waits for a person, or ended at a limit. */
export async function tellIfStopped(exitCode: ExitCode, session: Session): Promise<void> {
  if (isStopped(exitCode) || exitCode === exitCodes.waiting) return tellLeaving(exitCode, session);
  if (exitCode === exitCodes.failed && !isInMemory(session) && (await canGoOn(session)))
    tell(`Go on with this turn: ${unbroken(threadCommand("resume", session))}`, session.io);
}

async function canGoOn({ agent, thread, threads }: Session): Promise<boolean> {
  if ((await threads.get(thread))?.status === "failed") return true;
  const { values, next } = await agent.getState({ configurable: { thread_id: thread } });
  const { data } = stopReasonSchema.safeParse(values.stopReason);
  return next.length === 0 && data !== undefined && endOf(data) === "limit";
}

/** Tells how to come back to the thread, if it is kept and not empty. */
export async function tellLeaving(exitCode: ExitCode, session: Session): Promise<void> {
  const found = await session.threads.get(session.thread);
  const words = [
    ...(isStopped(exitCode) ? ["Interrupted."] : []),
    ...(found === undefined ? [] : comingBack(found.status === "waiting", session)),
  ];
  if (words.length > 0) tell(words.join(" "), session.io);
}

function comingBack(isWaiting: boolean, session: Session): string[] {
  const { io, thread } = session;
  if (isInMemory(session)) {
    const lost = "The turn waits for a person, but memory: keeps no thread. Give another --db to decide later.";
    return isWaiting ? [lost] : [];
  }
  if (isWaiting) return [`The thread waits for a person. Decide with: ${unbroken(threadCommand("decide", session))}`];
  const words = shellWords(["--thread", thread, ...optionsOf(session)]);
  return [`Go on with: ${unbroken(`${io.program ?? "glassloop"} chat ${words}`)}`];
}

function isStopped(exitCode: ExitCode): boolean {
  return exitCode === exitCodes.interrupted || exitCode === exitCodes.terminated;
}

function isInMemory({ database }: Session): boolean {
  return /^memory:/i.test(database);
}

/** Returns a command of `glassloop threads` for the thread, with its options. @param more The words after them. */
export function threadCommand(command: "resume" | "decide", session: Session, more: readonly string[] = []): string {
  const { thread, io } = session;
  const options = optionsOf(session);
  const words = thread.startsWith("-") ? [...options, "--", thread] : [thread, ...options];
  return `${io.program ?? "glassloop"} threads ${command} ${shellWords([...words, ...more])}`;
}

/** Returns the options that a command needs to go on with the thread. */
function optionsOf({ database, again }: Session): string[] {
  return [...(database === defaultDatabase ? [] : ["--db", database]), ...again];
}
