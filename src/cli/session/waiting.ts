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

/**
 * Reads the question with which the turn of a session goes on; undefined if it does not wait.
 *
 * @throws UsageError if the session is without a tool with which the turn goes on.
 */
export async function questionFor(session: Session): Promise<PersonAsked | undefined> {
  const asked = await waitingIn(session);
  await checkTools(asked, session);
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
export async function inputWith(value: unknown, { interrupt }: PersonAsked, session: Session) {
  const waiting = await waitingIn(session);
  if (waiting?.interrupt !== interrupt) throw movedOn(session.thread);
  return new Command<unknown, Record<string, never>, never>({ resume: { [interrupt]: value } });
}

/** Without a tool of those that wait, or of its step, a call would fail and the turn go on. */
async function checkTools(asked: PersonAsked | undefined, { agent, toolNames, thread }: Session): Promise<void> {
  const { values, next } = await agent.getState({ configurable: { thread_id: thread } });
  const actions = next.includes("act") && values.decision?.kind === "action" ? values.decision.actions : [];
  const called: readonly { readonly tool: string }[] = asked?.type === "approval" ? asked.requests : actions;
  const missing = new Set(called.map(({ tool }) => tool).filter((tool) => !toolNames.includes(tool)));
  if (missing.size === 0) return;
  const [does, instead] = asked
    ? ["waits", "decide in the program of the agent, with its function decide()"]
    : ["goes on", "ask something else on the thread"];
  throw new UsageError(
    `The thread ${does} with a call of ${[...missing].join(", ")}, and there is no such tool here. ` +
      `Give the options with which its turn began, such as --tools or --mcp. Or ${instead}.`,
  );
}
