import { HumanMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { ThreadError } from "../base/errors.js";
import { questionText } from "../core/state/turn-input.js";
import type { Agent, RunConfig, TurnResult } from "../graph/agent.js";
import { beginningOfLastTurn, REWIND_KEY } from "../graph/rewound-turn.js";
import { checkThreadId } from "../graph/thread-id.js";

/**
 * Answers the last question of a thread again, from the beginning of its turn. The last question is determined when the run
 * has the thread: with the strategy `"enqueue"`, after the earlier runs have ended. The checkpoints of the old answer stay as
 * a side branch until they are pruned.
 *
 * @param config The LangGraph config of the run, such as an abort signal or callbacks.
 * @throws ThreadError "no-turn-to-repeat" when the thread has no question yet, or the beginning of the turn is not kept: it
 *   was pruned, or the turn ran with `durability: "exit"`. Throws the errors of `agent.invoke`, too.
 * @example
 * const { answer } = await regenerate(agent, "t1");
 */
export async function regenerate<Output, Context extends Record<string, unknown>>(
  agent: Agent<Output, Context>,
  thread: string,
  config: RunConfig<NoInfer<Context>> = {},
): Promise<TurnResult<Output>> {
  return runFrom(agent, await rewind(agent, thread), config);
}

/**
 * Asks another question in place of the last question of a thread. The files of the last question stay with it. The old turn
 * stays as a side branch.
 *
 * @param config The LangGraph config of the run, such as an abort signal or callbacks.
 * @throws InvalidInputError when the question is empty. Throws the errors of {@link regenerate}, too.
 * @example
 * const { answer } = await edit(agent, "t1", "What is the square root of 36?");
 */
export async function edit<Output, Context extends Record<string, unknown>>(
  agent: Agent<Output, Context>,
  thread: string,
  question: string,
  config: RunConfig<NoInfer<Context>> = {},
): Promise<TurnResult<Output>> {
  return runFrom(agent, await rewind(agent, thread, { question }), config);
}

/**
 * Runs a thread again from one of its checkpoints. The nodes after the checkpoint run once more, and so do their tools.
 * A checkpoint before `parse` holds a reply already: there the model is asked again. The old steps after the checkpoint
 * stay as a side branch. A checkpoint at the end of a turn has nothing to run: its state is returned,
 * and the thread stays as it is.
 *
 * To change the state first, call `agent.updateState` with the checkpoint. Then call `agent.invoke(null, …)` with the
 * config that it returns.
 *
 * @param checkpoint A checkpoint id from `threads.history(thread)`.
 * @param config The LangGraph config of the run, such as an abort signal or callbacks.
 * @throws ThreadError "checkpoint-not-kept" when the checkpoint was pruned. Throws the errors of `agent.invoke`, too.
 */
export async function replay<Output, Context extends Record<string, unknown>>(
  agent: Agent<Output, Context>,
  thread: string,
  checkpoint: string,
  config: RunConfig<NoInfer<Context>> = {},
): Promise<TurnResult<Output>> {
  const at = { configurable: { thread_id: checkThreadId(thread), checkpoint_id: checkpoint } };
  const { createdAt, next, values } = await agent.getState(at);
  // The savers of LangGraph do not report a missing checkpoint. The run would begin with an empty state.
  if (createdAt === undefined) throw new ThreadError("checkpoint-not-kept", thread, checkpoint);
  // A run would go on from there, and leave all later turns.
  return next.length === 0 ? values : runFrom(agent, at, config);
}

/**
 * Finds the beginning of the last turn of a thread. Use it if {@link regenerate} and {@link edit} are not enough, such
 * as `streamTurn(agent, null, await rewind(agent, "t1"))`. If another turn ends before the run has the thread, the run begins
 * that one again.
 *
 * @param options.question Another question. Default: the question of the turn.
 * @returns The config for invoking the agent with `null`.
 * @throws ThreadError "no-turn-to-repeat" or InvalidInputError, for the same reasons as {@link edit}.
 */
export async function rewind(
  agent: Agent,
  thread: string,
  { question }: { readonly question?: string } = {},
): Promise<RunnableConfig> {
  const rewinding = { question: question === undefined ? undefined : questionText(new HumanMessage(question)) };
  const { config } = await beginningOfLastTurn(agent.checkpointer, checkThreadId(thread));
  return { configurable: { ...config.configurable, [REWIND_KEY]: rewinding } };
}

/** Runs a thread from a place in it. */
export function runFrom<Output, Context extends Record<string, unknown>>(
  agent: Agent<Output, Context>,
  at: RunnableConfig,
  config: RunConfig<Context>,
): Promise<TurnResult<Output>> {
  return agent.invoke(null, { ...config, configurable: { ...config.configurable, ...at.configurable } });
}
