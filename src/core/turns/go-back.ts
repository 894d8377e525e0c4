import { type BaseMessage, HumanMessage, isBaseMessage, RemoveMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { StateSnapshot } from "@langchain/langgraph";
import { z } from "zod";
import { ThreadError } from "../../base/errors.js";
import { INPUT_CHANNEL } from "../../langgraph/names.js";
import type { Agent, RunConfig, TurnResult } from "../agent.js";
import { checkThreadId } from "../run/thread-id.js";
import { blocksOf } from "../state/content.js";
import { questionText } from "../state/turn-input.js";

/**
 * Answers the last question of a thread again, from the beginning of its turn. The checkpoints of the old answer stay
 * as a side branch until they are pruned.
 *
 * @param config The LangGraph config of the run, such as an abort signal or callbacks.
 * @throws ThreadError "no-turn-to-repeat" when the thread has no question yet, or the beginning of the turn was
 *   pruned. Throws the errors of `agent.invoke`, too.
 * @example
 * const { answer } = await regenerate(agent, "t1");
 */
export async function regenerate<Output, Context extends Record<string, unknown>>(
  agent: Agent<Output, Context>,
  thread: string,
  config: RunConfig<NoInfer<Context>> = {},
): Promise<TurnResult<Output>> {
  return run(agent, await rewind(agent, thread), config);
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
  return run(agent, await rewind(agent, thread, { question }), config);
}

/**
 * Runs a thread again from one of its checkpoints. The nodes after the checkpoint run once more, and so do their tools.
 * A checkpoint before `parse` holds a reply already: there the model is asked again. The old steps after the checkpoint
 * stay as a side branch. A checkpoint at the end of a turn has nothing to run: its state is returned.
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
  const { createdAt } = await agent.getState(at);
  // The savers of LangGraph do not report a missing checkpoint. The run would begin with an empty state.
  if (createdAt === undefined) throw new ThreadError("checkpoint-not-kept", thread, checkpoint);
  return run(agent, at, config);
}

/**
 * Finds the beginning of the last turn of a thread. Use it if {@link regenerate} and {@link edit} are not enough, such
 * as `streamTurn(agent, null, await rewind(agent, "t1"))`.
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
  const newest = await agent.getState({ configurable: { thread_id: checkThreadId(thread) } });
  const start = await beginningOf(agent, thread, newest);
  if (question === undefined) return start.config;
  const text = questionText(new HumanMessage(question));
  const old = lastMessage.parse(start.values);
  const files = old ? blocksOf(old).filter((block) => typeof block.text !== "string") : [];
  const content = files.length === 0 ? text : [{ type: "text", text }, ...files];
  // The new question has an id of its own. Chat clients tell branches by the ids of their messages.
  const removed = old?.id === undefined ? [] : [new RemoveMessage({ id: old.id })];
  const messages = [...removed, new HumanMessage({ content })];
  return agent.updateState(start.config, { messages }, INPUT_CHANNEL);
}

function run<Output, Context extends Record<string, unknown>>(
  agent: Agent<Output, Context>,
  at: RunnableConfig,
  config: RunConfig<Context>,
): Promise<TurnResult<Output>> {
  return agent.invoke(null, { ...config, configurable: { ...config.configurable, ...at.configurable } });
}

/**
 * Finds the checkpoint at the beginning of the last turn. Its messages end with the question, and no node has run yet.
 */
async function beginningOf(agent: Agent, thread: string, newest: StateSnapshot): Promise<StateSnapshot> {
  const refuse = (why: string) => new ThreadError("no-turn-to-repeat", thread, why);
  if (newest.createdAt === undefined) throw refuse("nothing was asked yet.");
  if (newest.next.includes(INPUT_CHANNEL)) {
    throw refuse("it was stopped before it began. Invoke the agent with null to go on with it.");
  }
  const turn = turnNumber.parse(newest.values);
  let snapshot: StateSnapshot | undefined = newest;
  while (snapshot !== undefined && !isBeginning(snapshot)) {
    snapshot = snapshot.parentConfig && (await agent.getState(snapshot.parentConfig));
  }
  if (snapshot === undefined || (snapshot !== newest && turnNumber.parse(snapshot.values) !== turn - 1)) {
    throw refuse("its beginning was pruned. Ask the question again, or prune less next time.");
  }
  return snapshot;
}

function isBeginning({ tasks }: StateSnapshot): boolean {
  return tasks.some(({ name }) => name === "rephrase-question");
}

const turnNumber = z
  .object({ turn: z.object({ number: z.number() }).optional() })
  .transform(({ turn }) => turn?.number ?? 0);
const lastMessage = z
  .object({ messages: z.array(z.custom<BaseMessage>(isBaseMessage)) })
  .transform(({ messages }) => messages.at(-1));
