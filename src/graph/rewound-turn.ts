import { type BaseMessage, HumanMessage, isBaseMessage, RemoveMessage } from "@langchain/core/messages";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { ThreadError } from "../base/errors.js";
import { blocksOf } from "../content/content.js";
import { noTurn, turnSchema } from "../core/state/state.js";
import type { InnerGraph } from "../langgraph/guarded-graph.js";
import { INPUT_CHANNEL } from "../langgraph/names.js";
import { nextNodes } from "../langgraph/pending-nodes.js";
import { type Configurable, withAncestors } from "./starting-point.js";

/** The key in the `configurable` of a run that is to begin the last turn of its thread again. */
export const REWIND_KEY = "__glassloop_rewind";

const rewindingSchema = z.object({
  thread_id: z.string(),
  /** The new text of the question; left out to repeat the question as it was asked. */
  [REWIND_KEY]: z.object({ question: z.string().optional() }),
});

/**
 * Returns the configurable of a run. If the run is to begin the last turn again, the configurable names the checkpoint at the
 * beginning of that turn. Call this when the run holds its thread, so that no other run ends a turn meanwhile.
 */
export async function rewound({ graph, update }: InnerGraph, given: Configurable): Promise<Configurable> {
  const rewinding = rewindingSchema.safeParse(given).data;
  if (rewinding === undefined) return given;
  const { [REWIND_KEY]: _, ...others } = given;
  const start = await beginningOfLastTurn(graph.checkpointer, rewinding.thread_id);
  const configurable = { ...others, ...start.config.configurable };
  const { question } = rewinding[REWIND_KEY];
  if (question === undefined) return configurable;
  const values = { messages: inPlaceOf(lastMessage.parse(start.checkpoint.channel_values), question) };
  const updated = await update({ configurable }, [{ updates: [{ values, asNode: INPUT_CHANNEL }] }]);
  return { ...configurable, checkpoint_id: updated.configurable?.checkpoint_id };
}

/** Makes the messages that replace a question by another text. The files of the old question stay. */
function inPlaceOf(old: BaseMessage | undefined, text: string): BaseMessage[] {
  const files = old ? blocksOf(old).filter((block) => typeof block.text !== "string") : [];
  const content = files.length === 0 ? text : [{ type: "text", text }, ...files];
  // The new question has an id of its own. Chat clients tell branches by the ids of their messages.
  const removed = old?.id === undefined ? [] : [new RemoveMessage({ id: old.id })];
  return [...removed, new HumanMessage({ content })];
}

/**
 * Finds the checkpoint at the beginning of the last turn. Its messages end with the question, and no node has run yet.
 *
 * @throws ThreadError "no-turn-to-repeat" if there is none.
 */
export async function beginningOfLastTurn(
  checkpointer: InnerGraph["graph"]["checkpointer"],
  thread: string,
): Promise<CheckpointTuple> {
  const refuse = (why: string) => new ThreadError("no-turn-to-repeat", thread, why);
  if (typeof checkpointer !== "object") throw refuse("its agent has no checkpointer.");
  const newest = await checkpointer.getTuple({ configurable: { thread_id: thread } });
  if (newest === undefined) throw refuse("nothing was asked yet.");
  // Pending writes of a step that was killed before its checkpoint do not count.
  if (nextNodes(newest).includes(INPUT_CHANNEL)) {
    throw refuse("it was stopped before it began. Invoke the agent with null to resume it.");
  }
  for await (const tuple of withAncestors(checkpointer, newest)) {
    if (!nextNodes(tuple).includes("rephrase-question")) continue;
    // If the beginning of this turn was pruned, the walk finds the beginning of an earlier turn.
    if (tuple === newest || lastMessage.parse(tuple.checkpoint.channel_values)?.id === questionOf(newest)) return tuple;
    break;
  }
  throw refuse(
    questionOf(newest) === ""
      ? noTurnOfAgent
      : 'its beginning is not kept. It was pruned, or the turn ran with durability "exit", which keeps only the end. Ask the question again.',
  );
}

/** Why there is no turn to run again, or to go on with, on the thread of a graph around the agent. */
export const noTurnOfAgent =
  "no turn of this agent ended on it. If the agent is a node of another graph, run that graph: " +
  "graph.invoke(null, config) with one of its checkpoints.";

/** Returns the id of the question of the turn at a checkpoint, or "" if no turn has begun. */
function questionOf({ checkpoint }: CheckpointTuple): string {
  return valuesSchema.parse(checkpoint.channel_values).turn.message.id;
}

const valuesSchema = z.object({ turn: turnSchema.default(noTurn) });
const lastMessage = z
  .object({ messages: z.array(z.custom<BaseMessage>(isBaseMessage)) })
  .transform(({ messages }) => messages.at(-1));
