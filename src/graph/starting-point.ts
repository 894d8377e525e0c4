import { type BaseMessage, isBaseMessage } from "@langchain/core/messages";
import { isCommand, messagesStateReducer } from "@langchain/langgraph";
import type { BaseCheckpointSaver, CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { ThreadError } from "../base/errors.js";
import { readingNodes, replyNodes } from "../core/nodes/node-names.js";
import type { Plugin } from "../core/parts/plugin.js";
import { keeperOf, type WhileWaiting } from "../core/run/keeper.js";
import { callsOfReply } from "../core/run/ledger.js";
import type { Calls } from "../core/run/notes.js";
import { runOf } from "../core/run/run.js";
import type { InnerGraph } from "../langgraph/guarded-graph.js";
import { INPUT_CHANNEL } from "../langgraph/names.js";
import { isNested } from "../langgraph/node-path.js";
import { nextNodes } from "../langgraph/pending-nodes.js";
import { checkAnswer, missingAsker } from "./check-answer.js";
import { checkQuestionFits, checkQuestionIsLast } from "./check-input.js";
import { interruptedTurn } from "./interrupted-turn.js";
import { stoppedRun } from "./stopped-run.js";
import { keepsUndecided, keptIn } from "./undecided.js";

export type Configurable = Readonly<Record<string, unknown>>;

/** The part of a thread that is read before a run starts on it. */
interface Found {
  readonly checkpointer: BaseCheckpointSaver;
  /** The checkpoint that the config names, or the newest one. */
  readonly tuple: CheckpointTuple;
  /** True if the run brings a new question. */
  readonly isNew: boolean;
  /** True if the run starts from a checkpoint of the past. */
  readonly isFork: boolean;
}

/** What is known of the agent of a run: the name on its messages, and what plugs into it. */
export interface AgentOfRun {
  readonly name: string | undefined;
  readonly plugins: readonly Plugin[];
  readonly whileWaiting: WhileWaiting;
}

/**
 * Returns the configurable with which a run starts. A new question at the end of an unfinished thread first repairs the
 * thread. A fork of the past needs no repair.
 *
 * @throws InvalidInputError when a new input does not end with its question, a ThreadError "foreign-turn" or "decision-missing", or a
 *   {@link NotWaitingError} when a person's answer is for no question that waits.
 */
export async function startingPoint(
  inner: InnerGraph,
  { name, plugins, whileWaiting }: AgentOfRun,
  input: unknown,
  configurable: Configurable,
): Promise<Configurable> {
  const found = await readThread(inner, plugins, input, configurable);
  if (found === undefined) return configurable;
  const { checkpointer, tuple, isNew, isFork } = found;
  const run = runOf({ configurable });
  run.keepsCalls = !isFork && keptIn(tuple).length > 0;
  if (isNew && !isFork) {
    checkQuestionFits(input, messagesAt(tuple));
    const keeps = keepsUndecided(tuple, configurable, whileWaiting, run);
    run.keepsCalls ||= keeps;
    const repair = interruptedTurn(tuple, await callsOfStep(found), name, keeps);
    return repaired(inner, repair, tuple, configurable);
  }
  // The run edits an old question, or has the model asked again.
  if (isFork) {
    const from = await (isNew ? beginningOfTurn : beforeReply)(checkpointer, tuple);
    if (isNew) checkQuestionFits(input, messagesAt(from));
    return { ...configurable, checkpoint_id: from.checkpoint.id };
  }
  run.resume(stoppedRun(tuple.pendingWrites));
  return configurable;
}

/** Returns the messages at a checkpoint, and those of an input that no node has read yet. */
export function messagesAt({ checkpoint }: CheckpointTuple): BaseMessage[] {
  const { messages, [INPUT_CHANNEL]: input } = saidSchema.parse(checkpoint.channel_values);
  return messagesStateReducer(messages, input.messages);
}

const messagesSchema = z.array(z.custom<BaseMessage>(isBaseMessage)).catch([]);
const saidSchema = z.object({
  messages: messagesSchema,
  [INPUT_CHANNEL]: z.object({ messages: messagesSchema }).catch({ messages: [] }),
});

/** Reads what is on record of the calls of a step that was stopped. */
async function callsOfStep({ checkpointer, tuple }: Found): Promise<Calls> {
  return nextNodes(tuple).includes("act") ? callsOfReply(checkpointer, tuple) : new Map();
}

/** Reads the thread of a run. Returns undefined if there is none yet, or if another run decides where this one starts. */
async function readThread(
  { graph }: InnerGraph,
  plugins: readonly Plugin[],
  input: unknown,
  configurable: Configurable,
): Promise<Found | undefined> {
  const { checkpointer, nodes } = graph;
  const { thread_id, checkpoint_id } = configurable;
  const answer = isCommand(input) ? input.resume : undefined;
  if ((isCommand(input) && answer === undefined) || isNested(configurable)) return undefined;
  const isNew = answer === undefined && input !== null && input !== undefined;
  if (isNew) checkQuestionIsLast(input);
  if (typeof checkpointer !== "object" || typeof thread_id !== "string") return undefined;
  const keeper = keeperOf(checkpointer);
  const tuple = await (keeper ? keeper.readStart({ configurable }) : checkpointer.getTuple({ configurable }));
  const asker = tuple && !isNew ? missingAsker(tuple, plugins) : undefined;
  if (asker !== undefined) throw new ThreadError("foreign-turn", thread_id, `middleware "${asker}"`);
  const run = runOf({ configurable });
  if (answer !== undefined) run.answer = checkAnswer(thread_id, tuple, plugins, answer, run.askedBefore);
  if (tuple === undefined) return undefined;
  const foreign = isNew ? undefined : nextNodes(tuple).find((name) => name !== INPUT_CHANNEL && !(name in nodes));
  if (foreign !== undefined) throw new ThreadError("foreign-turn", thread_id, `node "${foreign}"`);
  const isFork = Boolean(checkpoint_id) && answer === undefined && !(isNew && (await isNewest(checkpointer, tuple)));
  return { checkpointer, tuple, isNew, isFork };
}

/** Repairs an unfinished thread. The repair is a checkpoint of its own. */
async function repaired(
  { update }: InnerGraph,
  repair: ReturnType<typeof interruptedTurn>,
  { config }: CheckpointTuple,
  configurable: Configurable,
): Promise<Configurable> {
  if (repair === undefined) return configurable;
  // LangGraph adds the stored writes of unfinished tasks, unless the checkpoint is named. The repair stands in their place.
  // It belongs to no run of a server: what the run was given is not stored yet.
  const at = { ...configurable, ...config.configurable, run_id: undefined };
  const updated = await update({ configurable: at }, [{ updates: [repair] }]);
  if (!configurable.checkpoint_id) return configurable;
  return { ...configurable, checkpoint_id: updated.configurable?.checkpoint_id };
}

/** Tells whether a checkpoint is the newest one of its thread. */
async function isNewest(checkpointer: BaseCheckpointSaver, { config, checkpoint }: CheckpointTuple) {
  const newest = await checkpointer.getTuple({ configurable: { ...config.configurable, checkpoint_id: undefined } });
  return newest?.checkpoint.id === checkpoint.id;
}

/**
 * Finds the checkpoint from which a new question goes on, if it is sent to an old checkpoint. LangGraph's clients edit
 * a question in this way. An old checkpoint in the middle of a turn stands for the beginning of that turn. The new
 * question takes the place of the old one.
 *
 * @returns The checkpoint itself if it is not in the middle of a turn, or the beginning was pruned.
 */
async function beginningOfTurn(checkpointer: BaseCheckpointSaver, from: CheckpointTuple) {
  for await (const tuple of withAncestors(checkpointer, from)) {
    const next = nextNodes(tuple);
    // LangGraph drops the input that waits at the beginning of a turn when another one comes.
    if (next.length === 0 || next.includes(INPUT_CHANNEL)) return tuple;
  }
  return from;
}

/**
 * Finds the checkpoint from which the model is asked again, if a run starts from a checkpoint before `parse`. Chat clients
 * refresh an answer from this checkpoint, the last one without the answer. But its state already has the old reply.
 *
 * @returns The checkpoint itself if another node is next, or a person changed the state there.
 */
async function beforeReply(checkpointer: BaseCheckpointSaver, from: CheckpointTuple) {
  for await (const tuple of withAncestors(checkpointer, from)) {
    const next = nextNodes(tuple);
    if (next.some((node) => replyNodes.has(node))) return tuple;
    if (!next.some((node) => readingNodes.has(node)) || tuple.metadata?.source === "update") break;
  }
  return from;
}

/** Reads a checkpoint and its ancestors, the nearest first. */
export async function* withAncestors(
  checkpointer: BaseCheckpointSaver,
  from: CheckpointTuple,
): AsyncGenerator<CheckpointTuple> {
  let tuple: CheckpointTuple | undefined = from;
  while (tuple !== undefined) {
    yield tuple;
    tuple = tuple.parentConfig && (await checkpointer.getTuple(tuple.parentConfig));
  }
}
