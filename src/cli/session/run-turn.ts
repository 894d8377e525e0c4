import type { RunnableConfig } from "@langchain/core/runnables";
import { isGraphDrained, RunControl } from "@langchain/langgraph";
import { failureBeforeTurn, type PersonAsked, type TurnEvent } from "../../core/run/events.js";
import { endOf } from "../../core/state/decision.js";
import type { AgentInput } from "../../graph/agent.js";
import { drainOnSignal } from "../../turns/drain.js";
import { streamTurn } from "../../turns/stream-turn.js";
import { type Answerer, personAt } from "../deciding/person.js";
import type { Io, Output } from "../io.js";
import { type ExitCode, exitCodes } from "../program/exit-codes.js";
import { interruptible } from "../program/interruptible.js";
import { reportError } from "../program/report-error.js";
import { jsonLine } from "../screen/screen-text.js";
import { ScreenView, type TurnView } from "../screen/screen-view.js";
import type { Question } from "./read-question.js";
import type { Session } from "./session.js";
import { inputWith, movedOn, waitingEvent } from "./waiting.js";

/** A turn, or the rest of one. */
export interface TurnToRun extends Question {
  /** The start: the question by default, null for a turn that was stopped, or what a turn waits for. */
  readonly start?: PersonAsked | null | undefined;
  /** The checkpoint from which the turn goes on. Default: the newest one of its thread. */
  readonly from?: RunnableConfig | undefined;
  /** Answers the questions to a person. Default: the person at the terminal. Without one the turn ends with such a question. */
  readonly answerer?: Answerer | undefined;
}

/**
 * Runs a turn and shows its events. A failure is shown and not thrown, because the thread can go on after it. Ctrl-C stops the
 * turn. SIGTERM stops it after the step at work. A second signal ends the process at once.
 *
 * @param steps The stream for the steps. Default: stderr if stdout is not a terminal, so that a pipe gets only the answer.
 * @returns The exit code for the turn's end.
 */
export async function runTurn(session: Session, turn: TurnToRun, steps = stepsOf(session.io)): Promise<ExitCode> {
  const { io } = session;
  const view = viewOf(session, steps);
  const control = new RunControl();
  const left = new AbortController();
  const onDrain = () => {
    io.stderr.write(draining);
    left.abort();
  };
  const stopListening = drainOnSignal(control, { onDrain });
  let isTold = false;
  const show = (event: TurnEvent) => {
    isTold ||= event.type === "error" && event.path.length === 0;
    view.show(event);
  };
  return interruptible(async (interrupted) => {
    try {
      const run = { signal: interrupted, control, prompts: view.wantsPrompts, left: left.signal };
      const exitCode = await runToAnswer(session, turn, show, run);
      return control.drainRequested ? exitCodes.terminated : exitCode;
    } catch (error) {
      if (isGraphDrained(error)) return exitCodes.terminated;
      if (interrupted.aborted) return exitCodes.interrupted;
      return isTold ? reportError(error, io, session.database) : tellFailure(error, session, view);
    } finally {
      stopListening();
    }
  });
}

const draining = "Asked to end: stopping after this step. Ask again to end at once.\n";

/** Shows an error of a turn that has not begun. */
export function tellFailure(error: unknown, session: Session, view = viewOf(session, session.io.stderr)): ExitCode {
  view.show(failureBeforeTurn(error, session.thread));
  return reportError(error, session.io, session.database);
}

function stepsOf({ stdout, stderr }: Io): Output {
  return stdout.isTTY ? stdout : stderr;
}

/** Makes the view of turns that a command's options ask for. */
function viewOf({ options: { json, quiet, verbose, show }, io }: Session, steps: Output): TurnView {
  const wantsPrompts = verbose === true;
  // For programs: one JSON object per event and line. Nothing is shortened.
  if (json) {
    const write = ({ type, ...event }: TurnEvent) => void io.stdout.write(jsonLine({ type, ...event }));
    return { wantsPrompts, show: write };
  }
  const thinking = show === "thinking" && { thinking: steps };
  const streams = quiet ? {} : show === "answer" ? { notes: steps } : { steps, wantsPrompts, ...thinking };
  return new ScreenView({ answer: io.stdout, ...streams }, io);
}

interface RunOptions {
  readonly signal: AbortSignal;
  readonly control: RunControl;
  readonly prompts: boolean;
  /** Ends an answer that a person has not given yet. */
  readonly left: AbortSignal;
}

/** Runs a turn until its answer, or until a question to a person stays without one. */
async function runToAnswer(
  session: Session,
  { asked, message, start, from, answerer = personAt(session.io) }: TurnToRun,
  show: (event: TurnEvent) => void,
  { prompts, left, ...run }: RunOptions,
): Promise<ExitCode> {
  const { agent, thread } = session;
  if (start) show(await waitingEvent(start, session));
  let question = start ?? undefined;
  let input: AgentInput | null = start === undefined ? { messages: message ?? asked } : null;
  let configurable = { thread_id: thread, ...from?.configurable };
  for (;;) {
    if (question !== undefined) {
      const answer = await answerer?.(question, left);
      if (answer === undefined) return exitCodes.waiting;
      input = await inputWith(answer.value, question, session);
    }
    let end: TurnEvent | undefined;
    for await (const event of streamTurn(agent, input, { configurable, ...run }, { prompts })) {
      show(event);
      end = event;
    }
    if (end?.type !== "turn-end") throw movedOn(thread);
    [question] = end.waiting ?? [];
    if (question === undefined) return endOf(end.stopReason) === "answer" ? exitCodes.answered : exitCodes.failed;
    configurable = { thread_id: thread };
  }
}
