import { isGraphDrained, RunControl } from "@langchain/langgraph";
import { drainOnSignal } from "../../agent/drain.js";
import { streamTurn } from "../../agent/stream-turn.js";
import { answersQuestion, type StopReason } from "../../turn/decision.js";
import { noUsage, type Usage } from "../../turn/usage.js";
import type { Io } from "../io.js";
import { type ExitCode, exitCodes } from "../program/exit-codes.js";
import { describeError, reportError } from "../program/report-error.js";
import type { TurnView } from "../screen/turn-view.js";
import type { Session } from "./session.js";

/**
 * Asks one question and shows the events of the turn. A failure is shown and not thrown, because the thread can go on
 * after it. SIGTERM stops the turn after the step at work. A second SIGTERM ends the process at once.
 *
 * @param interrupted A signal that stops the turn.
 * @param input The agent's input; null goes on with the last question.
 * @returns The exit code for the turn's end.
 */
export async function runTurn(
  session: Session,
  asked: string,
  view: TurnView,
  interrupted: AbortSignal,
  io: Io,
  input: TurnInput = { messages: asked },
): Promise<ExitCode> {
  view.show({ type: "turn-start", asked });
  const { ending, exitCode } = await showEvents(session, input, view, interrupted, io);
  view.show({ type: "turn-end", stopReason: ending, usage: await usageOf(session) });
  return exitCode;
}

type TurnInput = { readonly messages: string } | null;

interface TurnEnd {
  readonly ending: StopReason;
  readonly exitCode: ExitCode;
}

async function showEvents(
  { agent, thread }: Session,
  input: TurnInput,
  view: TurnView,
  signal: AbortSignal,
  io: Io,
): Promise<TurnEnd> {
  let ending: StopReason | undefined;
  const control = new RunControl();
  const stopListening = drainOnSignal(control, { onDrain: () => io.stderr.write(draining) });
  try {
    const config = { configurable: { thread_id: thread }, signal, control };
    for await (const event of streamTurn(agent, input, config)) {
      view.show(event);
      if (event.type === "answer") ending = event.stopReason;
    }
    if (ending === undefined) throw new Error("The turn ended without an answer.");
    if (control.drainRequested) return { ending, exitCode: exitCodes.terminated };
    return { ending, exitCode: answersQuestion[ending] ? exitCodes.answered : exitCodes.failed };
  } catch (error) {
    if (isGraphDrained(error)) return { ending: "interrupted", exitCode: exitCodes.terminated };
    if (signal.aborted) return { ending: "interrupted", exitCode: exitCodes.interrupted };
    view.show({ type: "error", ...describeError(error) });
    return { ending: "failed", exitCode: reportError(error, io) };
  } finally {
    stopListening();
  }
}

const draining = "Asked to end: stopping after this step. Ask again to end at once.\n";

async function usageOf({ agent, thread }: Session): Promise<Usage> {
  const { values } = await agent.getState({ configurable: { thread_id: thread } });
  return values.usage ?? noUsage;
}
