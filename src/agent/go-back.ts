import { HumanMessage, isBaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { StateSnapshot } from "@langchain/langgraph";
import { z } from "zod";
import { CheckpointNotKeptError, NoTurnToRepeatError } from "../base/errors.js";
import { INPUT_CHANNEL } from "../base/langgraph-names.js";
import { checkThreadId } from "../threads/thread-id.js";
import { questionText } from "../turn/turn-input.js";
import type { Agent } from "./create-agent.js";

/** The state that a turn ends with. */
export type TurnResult = Awaited<ReturnType<Agent["invoke"]>>;

/**
 * Answers the last question of a thread anew, from where its turn began. The old answer becomes a branch that was left: its
 * checkpoints stay until they are pruned.
 *
 * @param config LangGraph's, for the run: an abort signal, callbacks.
 * @throws NoTurnToRepeatError when nothing was asked yet, or the beginning of the turn was pruned; what `agent.invoke` throws.
 * @example
 * const { answer } = await regenerate(agent, "t1");
 */
export async function regenerate(agent: Agent, thread: string, config: RunnableConfig = {}): Promise<TurnResult> {
  return run(agent, await rewind(agent, thread), config);
}

/**
 * Asks another question in place of the last one of a thread. The old turn becomes a branch that was left.
 *
 * @param config LangGraph's, for the run: an abort signal, callbacks.
 * @throws InvalidInputError when there is no question; what {@link regenerate} throws.
 * @example
 * const { answer } = await edit(agent, "t1", "What is the square root of 36?");
 */
export async function edit(
  agent: Agent,
  thread: string,
  question: string,
  config: RunnableConfig = {},
): Promise<TurnResult> {
  return run(agent, await rewind(agent, thread, { question }), config);
}

/**
 * Runs a thread again from one of its checkpoints: the nodes that came next then run once more, tools too. What came after
 * the checkpoint becomes a branch that was left. From the end of a turn there is nothing to run: its state is returned.
 *
 * To change the state before going on, give `agent.updateState` the checkpoint, and `agent.invoke(null, …)` the config it
 * returns.
 *
 * @param checkpoint One of `threads.history(thread)`.
 * @param config LangGraph's, for the run: an abort signal, callbacks.
 * @throws CheckpointNotKeptError when it was pruned; what `agent.invoke` throws.
 */
export async function replay(
  agent: Agent,
  thread: string,
  checkpoint: string,
  config: RunnableConfig = {},
): Promise<TurnResult> {
  const at = { configurable: { thread_id: checkThreadId(thread), checkpoint_id: checkpoint } };
  const { createdAt } = await agent.getState(at);
  // LangGraph's own savers say nothing of a checkpoint that is not there, and a run would begin with an empty state.
  if (createdAt === undefined) throw new CheckpointNotKeptError(thread, checkpoint);
  return run(agent, at, config);
}

/**
 * Finds where the last turn of a thread began, for running it again in another way than {@link regenerate} and
 * {@link edit} do: `streamTurn(agent, null, await rewind(agent, "t1"))`.
 *
 * @param options.question Another question; the one that was asked unless given.
 * @returns The config to invoke the agent with `null` at.
 * @throws What {@link edit} throws.
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
  const id = lastMessageId.parse(start.values);
  return agent.updateState(start.config, { messages: [new HumanMessage({ id, content: text })] }, INPUT_CHANNEL);
}

function run(agent: Agent, at: RunnableConfig, config: RunnableConfig): Promise<TurnResult> {
  return agent.invoke(null, { ...config, configurable: { ...config.configurable, ...at.configurable } });
}

/** The checkpoint of the last turn whose messages end with its question, and that no node has seen yet. */
async function beginningOf(agent: Agent, thread: string, newest: StateSnapshot): Promise<StateSnapshot> {
  if (newest.createdAt === undefined) throw new NoTurnToRepeatError(thread, "nothing was asked yet.");
  if (newest.next.includes(INPUT_CHANNEL)) {
    throw new NoTurnToRepeatError(
      thread,
      "it was stopped before it began. Invoke the agent with null to go on with it.",
    );
  }
  const turn = turnNumber.parse(newest.values);
  let snapshot: StateSnapshot | undefined = newest;
  while (snapshot !== undefined && !isBeginning(snapshot)) {
    snapshot = snapshot.parentConfig && (await agent.getState(snapshot.parentConfig));
  }
  if (snapshot === undefined || (snapshot !== newest && turnNumber.parse(snapshot.values) !== turn - 1)) {
    throw new NoTurnToRepeatError(thread, "its beginning was pruned. Ask the question again, or prune less next time.");
  }
  return snapshot;
}

function isBeginning({ next }: StateSnapshot): boolean {
  return next.includes("rephrase-question");
}

const turnNumber = z
  .object({ turn: z.object({ number: z.number() }).optional() })
  .transform(({ turn }) => turn?.number ?? 0);
const lastMessageId = z
  .object({ messages: z.array(z.custom<{ id?: string }>(isBaseMessage)) })
  .transform(({ messages }) => messages.at(-1)?.id);
