import { isGraphDrained, RunControl } from "@langchain/langgraph";
import { drainOnSignal } from "../../agent/drain.js";
import { streamTurn } from "../../agent/stream-turn.js";
import { answersQuestion } from "../../turn/decision.js";
import type { PersonAsked, TurnEvent } from "../../turn/events.js";
import { noUsage, type Usage } from "../../turn/usage.js";
import type { Answerer } from "../deciding/answerer.js";
import type { Io } from "../io.js";
import { type ExitCode, exitCodes } from "../program/exit-codes.js";
import { describeError, reportError } from "../program/report-error.js";
import type { TurnEnded, TurnView } from "../screen/turn-view.js";
import type { Session } from "./session.js";
import { type Answering, inputWith, ThreadMovedOnError } from "./waiting.js";

/** A turn, or the rest of one. */
export interface TurnToRun {
  /** The question of the turn. */
  readonly asked: string;
  /** The start: the question by default, null for a turn that was stopped, or what a turn waits for. */
  readonly start?: PersonAsked | null | undefined;
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
  view.show({ type: "turn-start", asked: turn.asked });
  const { exitCode, ...end } = await runOrReport(session, turn, view, interrupted, io);
  view.show({ type: "turn-end", ...end, usage: await usageOf(session) });
  return exitCode;
}

interface TurnEnd extends Pick<TurnEnded, "stopReason" | "waiting"> {
  readonly exitCode: ExitCode;
}

async function runOrReport(
  session: Session,
  turn: TurnToRun,
  view: TurnView,
  signal: AbortSignal,
  io: Io,
): Promise<TurnEnd> {
  const control = new RunControl();
  const stopListening = drainOnSignal(control, {
    onDrain: () => {
      io.stderr.write(draining);
      turn.answerer?.leave();
    },
  });
  try {
    const end = await runToAnswer(session, turn, view, { signal, control });
    if (control.drainRequested) return { ...end, exitCode: exitCodes.terminated };
    // Ctrl-C while a person is asked ends the asking, and not a run.
    return signal.aborted && end.waiting ? { ...end, exitCode: exitCodes.interrupted } : end;
  } catch (error) {
    if (isGraphDrained(error)) return { stopReason: "interrupted", exitCode: exitCodes.terminated };
    if (signal.aborted) return { stopReason: "interrupted", exitCode: exitCodes.interrupted };
    view.show({ type: "error", ...describeError(error) });
    return { stopReason: "failed", exitCode: reportError(error, io) };
  } finally {
    stopListening();
  }
}

interface RunOptions {
  readonly signal: AbortSignal;
  readonly control: RunControl;
}

/** Runs a turn until its answer, or until a question to a person stays without one. */
async function runToAnswer(
  session: Session,
  { asked, start, answerer }: TurnToRun,
  view: TurnView,
  options: RunOptions,
): Promise<TurnEnd> {
  if (start) view.show(start);
  let end = start ?? (await runOnce(session, start === null ? null : { messages: asked }, view, options));
  while (end.type !== "answer") {
    const answer = await answerer?.answer(end);
    if (answer === undefined) return { stopReason: "waiting", waiting: [end], exitCode: exitCodes.waiting };
    end = await runOnce(session, await inputWith(answer.value, end, session), view, options);
  }
  const { stopReason } = end;
  return { stopReason, exitCode: answersQuestion[stopReason] ? exitCodes.answered : exitCodes.failed };
}

type LastEvent = Extract<TurnEvent, { type: "answer" }> | PersonAsked;

/**
 * Runs the agent once, and shows the events.
 *
 * @returns The event that ended the run.
 * @throws ThreadMovedOnError if there was nothing left to run.
 */
async function runOnce(
  { agent, thread }: Session,
  input: { readonly messages: string } | null | Answering,
  view: TurnView,
  options: RunOptions,
): Promise<LastEvent> {
  let last: LastEvent | undefined;
  for await (const event of streamTurn(agent, input, { configurable: { thread_id: thread }, ...options })) {
    view.show(event);
    if (event.type === "answer" || event.type === "approval" || event.type === "interrupt") last = event;
  }
  if (last === undefined) throw new ThreadMovedOnError(thread);
  return last;
}

const draining = "Asked to end: stopping after this step. Ask again to end at once.\n";

async function usageOf({ agent, thread }: Session): Promise<Usage> {
  const { values } = await agent.getState({ configurable: { thread_id: thread } });
  return values.usage ?? noUsage;
}
