import type { Front, Io } from "../io.js";
import { defaultDatabase } from "../program/addresses.js";
import type { AgentCommandOptions } from "../program/agent-command.js";
import { type ExitCode, exitCodes } from "../program/exit-codes.js";
import { coloursFor } from "../screen/colours.js";
import { screenText } from "../screen/screen-text.js";
import type { Session } from "./session.js";

/** Writes the first notices to stderr: the thread, and a note if the offline rules answer. */
export async function beginNotices(
  session: Session,
  { quiet }: Pick<AgentCommandOptions, "quiet">,
  io: Io,
): Promise<void> {
  if (quiet) return;
  if (session.model === "offline") {
    tell("Offline rules answer here, not a language model. Set OPENAI_API_KEY or give --model to use one.", io);
  }
  tell(`Thread ${session.thread}${await threadSoFar(session)}`, io);
}

/** Describes the turns so far, as words to follow the thread's id. */
async function threadSoFar({ agent, thread, threads }: Session): Promise<string> {
  if ((await threads.get(thread))?.status === "running") return ". It is in use at the moment.";
  const { values, next } = await agent.getState({ configurable: { thread_id: thread } });
  const turns = values.turn?.number ?? 0;
  if (turns === 0) return "";
  const count = `, ${turns} ${turns === 1 ? "turn" : "turns"} so far`;
  return next.length === 0
    ? count
    : `${count}. The last one was stopped before its answer: "${values.turn.asked}". Go on with it: glassloop threads resume ${shellArgument(thread)}, or ask something else.`;
}

/** Tells how to come back to the thread if its turn was stopped. */
export async function tellIfStopped(exitCode: ExitCode, session: Session, io: Io, front: Front): Promise<void> {
  const isStopped = exitCode === exitCodes.interrupted || exitCode === exitCodes.terminated;
  if (isStopped) await tellLeaving(session, true, io, front);
}

/** Tells how to come back to the thread, if it is kept and not empty. */
export async function tellLeaving(session: Session, interrupted: boolean, io: Io, front: Front): Promise<void> {
  const words = [...(interrupted ? ["Interrupted."] : []), ...(await resumeHint(session, front))];
  if (words.length > 0) tell(words.join(" "), io);
}

async function resumeHint({ thread, threads, database, choices }: Session, { resume }: Front): Promise<string[]> {
  if (/^memory:/i.test(database) || !(await threads.get(thread))) return [];
  const place = database === defaultDatabase ? "" : ` --db ${shellArgument(database)}`;
  const chosen = Object.entries(choices).flatMap(([option, value]) =>
    value === undefined ? [] : ` --${option} ${shellArgument(value)}`,
  );
  return [`Go on with: ${resume} --thread ${shellArgument(thread)}${place}${chosen.join("")}`];
}

function shellArgument(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function tell(sentence: string, { stderr, env }: Io): void {
  stderr.write(`${coloursFor(stderr, env).dim(screenText(sentence))}\n`);
}
