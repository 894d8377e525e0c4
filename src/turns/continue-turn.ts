import { type BaseMessage, isBaseMessage, RemoveMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { Overwrite } from "@langchain/langgraph";
import { z } from "zod";
import { ThreadError } from "../base/errors.js";
import { findingNodes, replyNodes } from "../core/nodes/node-names.js";
import {
  endOf,
  type IntermediateStep,
  intermediateStepSchema,
  isFollowed,
  replySchema,
  stopReasonSchema,
} from "../core/state/decision.js";
import { turnSchema } from "../core/state/state.js";
import { usageSchema } from "../core/state/usage.js";
import type { Agent, RunConfig, TurnResult } from "../graph/agent.js";
import { noTurnOfAgent } from "../graph/rewound-turn.js";
import { checkThreadId } from "../graph/thread-id.js";
import { paused } from "../provider-forms/finish-reason.js";
import { runFrom } from "./go-back.js";

/**
 * Goes on with the last turn of a thread after it ended at a limit. Its steps are kept, and nothing of them is done again. Its
 * limits begin anew, so that a turn with 15 steps gets 15 more. The new answer takes the place of the old one. A turn that was
 * stopped, was killed or failed goes on, too, as with `agent.invoke(null)`.
 *
 * @param agent The agent of the thread, or one with higher limits.
 * @param config The LangGraph config of the run, such as an abort signal or callbacks.
 * @throws ThreadError "no-turn-to-continue" when the last turn has its answer, or nothing was asked. Throws the
 *   errors of `agent.invoke`, too.
 * @example
 * let state = await agent.invoke({ messages: "Find the cheapest flight." }, { configurable: { thread_id: "t1" } });
 * if (state.stopReason === "step-limit") state = await continueTurn(agent, "t1");
 */
export async function continueTurn<Output, Context extends Record<string, unknown>>(
  agent: Agent<Output, Context>,
  thread: string,
  config: RunConfig<NoInfer<Context>> = {},
): Promise<TurnResult<Output>> {
  return runFrom(agent, await reopenTurn(agent, thread), config);
}

/**
 * Opens the last turn of a thread again after it ended at a limit. Use it if {@link continueTurn} is not enough, such as
 * `streamTurn(agent, null, await reopenTurn(agent, "t1"))`.
 *
 * @returns The config for invoking the agent with `null`.
 * @throws ThreadError "no-turn-to-continue", for the same reasons as {@link continueTurn}.
 */
export async function reopenTurn(agent: Agent, thread: string): Promise<RunnableConfig> {
  const at = { configurable: { thread_id: checkThreadId(thread) } };
  const { values, tasks, createdAt } = await agent.getState(at);
  const refuse = (why: string) => new ThreadError("no-turn-to-continue", thread, why);
  if (createdAt === undefined) throw refuse("nothing was asked yet.");
  // A task whose results are stored, but not yet in the state, is not in `next`.
  if (tasks.length > 0) return at;
  const ended = endedSchema.safeParse(values).data;
  if (ended === undefined) throw refuse(noTurnOfAgent);
  if (endOf(ended.stopReason) !== "limit") {
    throw refuse(`it did not end at a limit (${ended.stopReason}). Ask another question.`);
  }
  const { update, isReadAgain } = reopened(ended);
  const writers = isReadAgain ? replyNodes : findingNodes;
  await agent.updateState(
    at,
    update,
    Object.keys(agent.nodes).find((name) => writers.has(name)),
  );
  return at;
}

const endedSchema = z.object({
  messages: z.array(z.custom<BaseMessage>(isBaseMessage)),
  turn: turnSchema,
  reply: replySchema.nullable(),
  intermediateSteps: z.array(intermediateStepSchema),
  stopReason: stopReasonSchema,
  usage: usageSchema,
});

/**
 * Returns the update that opens a turn again. A reply that was not followed is read once more. Otherwise the next one is
 * asked for.
 */
function reopened({ messages, turn, reply, intermediateSteps: all, usage }: z.infer<typeof endedSchema>) {
  const isUnfollowed = (step: IntermediateStep) =>
    step.decision.kind === "unparseable" && step.decision.limit !== undefined && !isFollowed(step);
  const steps = all.filter((step) => !isUnfollowed(step)).map(goneOn);
  // A hook may have ended the turn before a reply, or after the calls of the newest one. That step is not taken again.
  const isRead =
    reply === null || reply.last || reply.finishReason === paused || all.some((step) => step.reply.id === reply.id);
  const unfollowed = all.find(isUnfollowed)?.reply ?? (isRead ? undefined : reply);
  const answer = messages.findLast((message) => message.getType() === "ai")?.id;
  const update = {
    messages: answer === undefined ? [] : [new RemoveMessage({ id: answer })],
    turn: { ...turn, continued: { steps: steps.length, usage: usage.turn } },
    reply: unfollowed ?? null,
    decision: null,
    intermediateSteps: new Overwrite(steps),
    answer: null,
    citations: [],
    output: null,
    stopReason: null,
    workedMs: 0,
  };
  return { update, isReadAgain: unfollowed !== undefined };
}

/**
 * Returns a step without its request for a last answer. The model goes on with a reply that the provider paused at that step.
 */
function goneOn(step: IntermediateStep): IntermediateStep {
  const { decision } = step;
  if (decision.kind !== "unparseable" || decision.limit === undefined) return step;
  return { ...step, decision: { kind: "unparseable", why: decision.why, correction: "" } };
}
