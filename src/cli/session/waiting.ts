import { Command } from "@langchain/langgraph";
import { GlassloopError } from "../../base/errors.js";
import { type PersonAsked, personAsked, type TurnEvent } from "../../core/run/events.js";
import { UsageError } from "../program/exit-codes.js";
import { shellWords } from "../screen/screen-text.js";
import type { Session } from "./session.js";

/** Makes the error for an answer or a run that came too late: another run has gone on with the thread. */
export function movedOn(thread: string): GlassloopError {
  return new GlassloopError(
    "thread-moved-on",
    `Another process has gone on with the thread "${thread}" meanwhile, so nothing was done here. ` +
      `"glassloop threads show ${shellWords([thread])}" shows what it did.`,
  );
}

/** The agent's input with an answer. */
export type Answering = Command<unknown, Record<string, never>, never>;

/**
 * Reads the question with which the turn of a session waits; undefined if it does not wait.
 *
 * @throws UsageError if the session is without a tool that waits.
 */
export async function questionFor(session: Session): Promise<PersonAsked | undefined> {
  const asked = await waitingIn(session);
  if (asked !== undefined) await checkTools(asked, session);
  return asked;
}

async function waitingIn({ threads, thread }: Session): Promise<PersonAsked | undefined> {
  const [question] = (await threads.get(thread))?.interrupts ?? [];
  return question && personAsked(question);
}

/** Returns the event for a question that waited before this process began. */
export async function waitingEvent(asked: PersonAsked, { agent, thread }: Session): Promise<TurnEvent> {
  const { values } = await agent.getState({ configurable: { thread_id: thread } });
  const { turn, intermediateSteps } = values;
  const step = intermediateSteps.length + 1;
  return { ...asked, thread, turn: turn.id, step, time: new Date().toISOString(), path: [] };
}

/**
 * Returns the agent's input with the answer to a question. The answer names the question, so that it is no answer to
 * another one.
 *
 * @throws GlassloopError "thread-moved-on" if the question does not wait any more.
 */
export async function inputWith(value: unknown, { interrupt }: PersonAsked, session: Session): Promise<Answering> {
  const waiting = await waitingIn(session);
  if (waiting?.interrupt !== interrupt) throw movedOn(session.thread);
  return new Command({ resume: { [interrupt]: value } });
}

/**
 * Checks that the agent has the tools with which the turn goes on: those that wait for a person, or those of its step.
 * Without a tool, its call would fail and the turn go on.
 *
 * @throws UsageError if the session is without one of them.
 */
export async function checkTools(asked: PersonAsked | undefined, session: Session): Promise<void> {
  const { agent, toolNames, thread } = session;
  const { values, next } = await agent.getState({ configurable: { thread_id: thread } });
  const actions = next.includes("act") && values.decision?.kind === "action" ? values.decision.actions : [];
  const called = asked?.type === "approval" ? asked.requests : actions;
  const missing = called
    .map(({ tool }: { readonly tool: string }) => tool)
    .filter((tool: string) => !toolNames.includes(tool));
  if (missing.length === 0) return;
  throw new UsageError(
    `The thread ${asked ? "waits" : "goes on"} with a call of ${[...new Set(missing)].join(", ")}, and there is no such tool here. ` +
      "Give the options with which its turn began, such as --tools or --mcp. " +
      (asked
        ? "Or decide in the program of the agent, with its function decide()."
        : "Or ask something else on the thread."),
  );
}
