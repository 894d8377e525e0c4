import { text } from "node:stream/consumers";
import { parsedJson } from "../../../base/attempted.js";
import { hasCode, NotWaitingError } from "../../../base/errors.js";
import type { PersonAsked } from "../../../core/run/events.js";
import type { ApprovalRequest } from "../../../core/state/approval.js";
import type { DecisionType } from "../../../core/state/decision-types.js";
import { reopenTurn } from "../../../core/turns/continue-turn.js";
import type { ThreadStatus } from "../../../threads/checkpoints/thread-row.js";
import { type Answerer, answerOnce, decisionFrom, readAnswer } from "../../deciding/person.js";
import type { Front, Io } from "../../io.js";
import type { AgentCommandOptions } from "../../program/commands.js";
import { type ExitCode, exitCodes, UsageError } from "../../program/exit-codes.js";
import { shellWords } from "../../screen/screen-text.js";
import { callText } from "../../screen/step-lines.js";
import { tellAbsent } from "../../session/notices.js";
import { onKeptThread } from "../../session/on-thread.js";
import { runOnlyTurn } from "../../session/run-turn.js";
import { openSession, type Session } from "../../session/session.js";
import { checkTools, questionFor } from "../../session/waiting.js";

/** Goes on with the unfinished turn of a thread, or with one that ended at a limit, and prints its answer. If it waits for a person, they are asked. */
export function resumeThread(id: string, options: AgentCommandOptions, io: Io, front: Front): Promise<ExitCode> {
  return onKeptThread(id, options, io, async (place) => {
    await using session = await openSession(place, options, io);
    tellAbsent(session, options, io);
    const { status, lastQuestion: asked = "" } = place.found;
    if (status === "idle" && !(await isReopened(session))) {
      io.stderr.write("There is nothing to go on with: the thread's last turn has ended.\n");
      return exitCodes.answered;
    }
    const start = (await questionFor(session)) ?? null;
    if (start === null) await checkTools(undefined, session);
    return await runOnlyTurn(session, { asked, start }, options, io, front);
  });
}

/** Opens the last turn again if it ended at a limit. Returns false if it has its answer. */
async function isReopened({ agent, thread }: Session): Promise<boolean> {
  try {
    await reopenTurn(agent, thread);
    return true;
  } catch (error) {
    if (hasCode(error, "no-turn-to-continue")) return false;
    throw error;
  }
}

/** The arguments of the command: the thread's id, and the words of a decision. */
interface DecideArguments {
  readonly id: string;
  readonly decision: DecisionType | undefined;
  readonly text: string;
}

type DecideOptions = AgentCommandOptions & { readonly action?: string };

/** Takes decisions about the calls that a thread waits with, goes on with its turn, and prints the answer. */
export function decideThread(words: DecideArguments, options: DecideOptions, io: Io, front: Front): Promise<ExitCode> {
  return onKeptThread(words.id, options, io, async (place) => {
    await using session = await openSession(place, options, io);
    tellAbsent(session, options, io);
    const { id, status, lastQuestion: asked = "" } = place.found;
    const start = await questionFor(session);
    if (start === undefined) throw new NotWaitingError(id, `${reasons[status]}${wayOn(id, status)}`);
    const answerer = await givenAnswer(start, words, options, io);
    return await runOnlyTurn(session, { asked, start, answerer }, options, io, front);
  });
}

const reasons: Readonly<Record<ThreadStatus, string>> = {
  idle: "its last turn has ended",
  running: "a run uses it at the moment, perhaps as somebody has decided",
  waiting: "somebody has just decided",
  failed: "its last turn failed",
  interrupted: "its last turn was stopped",
};

function wayOn(thread: string, status: ThreadStatus): string {
  if (status !== "failed" && status !== "interrupted") return "";
  return `. "glassloop threads resume ${shellWords([thread])}" goes on with it`;
}

/** Returns the answer in the words of the command, or in its pipe; undefined if the person at the terminal is asked. */
async function givenAnswer(
  asked: PersonAsked,
  words: DecideArguments,
  { action }: DecideOptions,
  io: Io,
): Promise<Answerer | undefined> {
  if (words.decision !== undefined) return answerOnce(answerFrom(asked, words.decision, words.text, action));
  if (action !== undefined) throw new UsageError("--action: give a decision, too, such as approve.");
  return io.stdin.isTTY ? undefined : answerOnce(await pipedAnswer(asked, io));
}

function answerFrom(asked: PersonAsked, type: DecisionType, text: string, action: string | undefined): unknown {
  if (asked.type === "interrupt") {
    if (type === "answer" && text !== "" && action === undefined) return readAnswer(text);
    throw new UsageError("A tool asks this question itself. Give: answer TEXT, without --action.");
  }
  const request = requestOf(asked.requests, action);
  if (!request.allowed.includes(type)) {
    throw new UsageError(`"${type}" is not possible for ${request.tool}. Possible are: ${request.allowed.join(", ")}.`);
  }
  const decision = decisionFrom(type, text, request);
  if (typeof decision === "string") throw new UsageError(decision);
  return { [request.id]: decision };
}

function requestOf(requests: readonly ApprovalRequest[], action: string | undefined): ApprovalRequest {
  const [request, ...others] = requests.filter(({ id }) => action === undefined || id === action);
  if (request !== undefined && others.length === 0) return request;
  const wrong = action === undefined ? "Several calls wait" : `No call with the id "${action}" waits`;
  const calls = requests.map(({ id, tool, input }) => `\n  --action ${id}  ${callText(tool, input)}`);
  throw new UsageError(`${wrong}. Name one of these:${calls.join("")}`);
}

async function pipedAnswer(asked: PersonAsked, { stdin }: Io): Promise<unknown> {
  const piped = parsedJson(await text(stdin));
  if (piped !== undefined) return piped;
  const ids = asked.type === "approval" ? asked.requests.map(({ id }) => id) : [];
  const example = ids.length === 0 ? "yes" : Object.fromEntries(ids.map((id) => [id, "approve"]));
  throw new UsageError(
    `There is no decision: give one, such as approve, or pipe JSON in, such as ${JSON.stringify(example)}. ` +
      "Or decide in a terminal, where you are asked.",
  );
}
