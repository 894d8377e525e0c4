import type { HumanMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { isGraphDrained, RunControl } from "@langchain/langgraph";
import { type EventOf, failureBeforeTurn, type PersonAsked, type TurnEvent } from "../../core/run/events.js";
import { endOf } from "../../core/state/decision.js";
import { drainOnSignal } from "../../turns/drain.js";
import { streamTurn } from "../../turns/stream-turn.js";
import { type Answerer, Person } from "../deciding/person.js";
import type { Io, Output } from "../io.js";
import { type ExitCode, exitCodes } from "../program/exit-codes.js";
import { interruptible } from "../program/interruptible.js";
import type { AgentOptions } from "../program/options.js";
import { reportError } from "../program/report-error.js";
import type { TurnView } from "../screen/screen-view.js";
import { tellIfStopped } from "./notices.js";
import type { Question } from "./question-files.js";
import type { Session } from "./session.js";
import { viewOf } from "./view-of.js";
import { type Answering, inputWith, movedOn, waitingEvent } from "./waiting.js";

/** A turn, or the rest of one. */
export interface TurnToRun extends Question {
  /** The start: the question by default, null for a turn that was stopped, or what a turn waits for. */
  readonly start?: PersonAsked | null | undefined;
  /** The checkpoint from which the turn goes on. Default: the newest one of its thread. */
  readonly from?: RunnableConfig | undefined;
  /** Throws if the turn cannot begin. */
  readonly check?: (() => Promise<void>) | undefined;
  /** Answers the questions to a person. Without it the turn ends with such a question. */
  readonly answerer?: Answerer | undefined;
}

/**
 * Runs a turn and shows its events. A failure is shown and not thrown, because the thread can go on after it. SIGTERM
 * stops the turn after the step at work. A second SIGTERM ends the process at once.
 *
 * @param interrupted A signal that stops the turn.
 * @returns The exit code for the turn's end.
 */
export async function runTurn(
  session: Session,
  turn: TurnToRun,
  view: TurnView,
  interrupted: AbortSignal,
  io: Io,
): Promise<ExitCode> {
  const control = new RunControl();
  const stopListening = drainOnSignal(control, {
    onDrain: () => {
      io.stderr.write(draining);
      turn.answerer?.leave();
    },
  });
  let isTold = false;
  const show = (event: TurnEvent) => {
    isTold ||= event.type === "error" && event.path.length === 0;
    view.show(event);
  };
  try {
    const options = { signal: interrupted, control, prompts: view.wantsPrompts };
    const exitCode = await runToAnswer(session, turn, show, options);
    if (control.drainRequested) return exitCodes.terminated;
    return exitCode;
  } catch (error) {
    if (isGraphDrained(error)) return exitCodes.terminated;
    if (interrupted.aborted) return exitCodes.interrupted;
    if (!isTold) view.show(failureBeforeTurn(error, session.thread));
    return reportError(error, io, session.database);
  } finally {
    stopListening();
  }
}

interface OnlyTurn extends Omit<TurnToRun, "answerer"> {
  readonly answererOf?: ((person: Person | undefined) => Answerer | undefined) | undefined;
}

/**
 * Runs the only turn of a command.
 *
 * @param turn.answererOf Returns who answers the questions of the turn. Default: the person at the terminal, if there is one.
 */
export async function runOnlyTurn(
  session: Session,
  { answererOf = (person) => person, ...turn }: OnlyTurn,
  options: AgentOptions,
  io: Io,
): Promise<ExitCode> {
  const view = viewOf(options, io, stepsOf(io));
  // What a pipe holds was meant for something else.
  const answerer = answererOf(io.stdin.isTTY ? new Person(io) : undefined);
  const exitCode = await interruptible((interrupted) => runTurn(session, { ...turn, answerer }, view, interrupted, io));
  await tellIfStopped(exitCode, session, io);
  return exitCode;
}

/** Steps go to stderr if stdout is not a terminal, so that a pipe gets only the answer. */
function stepsOf({ stdout, stderr }: Io): Output {
  return stdout.isTTY ? stdout : stderr;
}

type Show = (event: TurnEvent) => void;

interface RunOptions {
  readonly signal: AbortSignal;
  readonly control: RunControl;
  readonly prompts: boolean;
}

/** Runs a turn until its answer, or until a question to a person stays without one. */
async function runToAnswer(
  session: Session,
  { asked, message, start, from, check, answerer }: TurnToRun,
  show: Show,
  options: RunOptions,
): Promise<ExitCode> {
  await check?.();
  if (start) show(await waitingEvent(start, session));
  let question = start ?? undefined;
  let input: TurnStart = start === undefined ? { messages: message ?? asked } : null;
  let place = from;
  for (;;) {
    if (question !== undefined) {
      const answer = await answerer?.answer(question);
      if (answer === undefined) return exitCodes.waiting;
      input = await inputWith(answer.value, question, session);
    }
    const { stopReason, waiting = [] } = await runOnce(session, { input, from: place }, show, options);
    place = undefined;
    [question] = waiting;
    if (question === undefined) return endOf(stopReason) === "answer" ? exitCodes.answered : exitCodes.failed;
  }
}

type TurnStart = { readonly messages: string | HumanMessage } | null | Answering;

/**
 * Runs the agent once, and shows the events.
 *
 * @returns The end of the turn.
 * @throws GlassloopError "thread-moved-on" if there was nothing left to run.
 */
async function runOnce(
  { agent, thread }: Session,
  { input, from }: { readonly input: TurnStart; readonly from: RunnableConfig | undefined },
  show: Show,
  { prompts, ...run }: RunOptions,
): Promise<EventOf<"turn-end">> {
  let last: TurnEvent | undefined;
  const config = { configurable: { thread_id: thread, ...from?.configurable }, ...run };
  for await (const event of streamTurn(agent, input, config, { prompts })) {
    show(event);
    last = event;
  }
  if (last?.type !== "turn-end") throw movedOn(thread);
  return last;
}

const draining = "Asked to end: stopping after this step. Ask again to end at once.\n";
