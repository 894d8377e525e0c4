import { withoutSecretForms } from "../../base/secrets/without-secrets.js";
import { endOf, stopReasonSchema } from "../../turn/decision.js";
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
  const status = (await threads.get(thread))?.status;
  if (status === "running") return ". It is in use at the moment.";
  const { values, next } = await agent.getState({ configurable: { thread_id: thread } });
  const turns = values.turn?.number ?? 0;
  if (turns === 0) return "";
  const count = `, ${turns} ${turns === 1 ? "turn" : "turns"} so far`;
  if (next.length === 0) return count;
  const [what, command] =
    status === "waiting"
      ? ["waits for a person", "Decide: glassloop threads decide"]
      : ["was stopped before its answer", "Go on with it: glassloop threads resume"];
  return `${count}. The last one ${what}: "${values.turn.asked}". ${command} ${shellArgument(thread)}, or ask something else.`;
}

/** Tells how to come back to the thread, if its turn was stopped, waits for a person, or ended at a limit. */
export async function tellIfStopped(exitCode: ExitCode, session: Session, io: Io, front: Front): Promise<void> {
  if (isStopped(exitCode) || exitCode === exitCodes.waiting) return tellLeaving(exitCode, session, io, front);
  if (exitCode === exitCodes.failed && !isInMemory(session) && (await hasReachedLimit(session))) {
    tell(`Go on with this turn: glassloop threads resume ${optionsOf(session)}`, io);
  }
}

async function hasReachedLimit({ agent, thread }: Session): Promise<boolean> {
  const { values, next } = await agent.getState({ configurable: { thread_id: thread } });
  const { data } = stopReasonSchema.safeParse(values.stopReason);
  return next.length === 0 && data !== undefined && endOf[data] === "limit";
}

/** Tells how to come back to the thread, if it is kept and not empty. */
export async function tellLeaving(exitCode: ExitCode, session: Session, io: Io, front: Front): Promise<void> {
  const words = [...(isStopped(exitCode) ? ["Interrupted."] : []), ...(await comingBack(session, front))];
  if (words.length > 0) tell(words.join(" "), io);
}

function isStopped(exitCode: ExitCode): boolean {
  return exitCode === exitCodes.interrupted || exitCode === exitCodes.terminated;
}

async function comingBack(session: Session, { resume }: Front): Promise<string[]> {
  const found = await session.threads.get(session.thread);
  if (found === undefined) return [];
  const isWaiting = found.status === "waiting";
  if (isInMemory(session)) {
    return isWaiting
      ? ["The turn waits for a person, but memory: keeps no thread. Give another --db to decide later."]
      : [];
  }
  if (!isWaiting) return [`Go on with: ${resume} --thread ${optionsOf(session)}`];
  return [`The thread waits for a person. Decide with: glassloop threads decide ${optionsOf(session)}`];
}

function isInMemory({ database }: Session): boolean {
  return /^memory:/i.test(database);
}

/** Returns the thread with the options that a command needs to go on with it. */
function optionsOf({ thread, database, choices }: Session): string {
  const place = database === defaultDatabase ? "" : ` --db ${shellArgument(database)}`;
  const chosen = Object.entries(choices).flatMap(([option, value]) =>
    value === undefined ? [] : ` --${option} ${shellArgument(value)}`,
  );
  return `${shellArgument(thread)}${place}${chosen.join("")}`;
}

function shellArgument(text: string): string {
  return /^[\w./:@,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function tell(sentence: string, { stderr, env }: Io): void {
  stderr.write(`${coloursFor(stderr, env).dim(screenText(withoutSecretForms(sentence)))}\n`);
}
