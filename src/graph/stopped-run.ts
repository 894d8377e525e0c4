import { randomUUID } from "node:crypto";
import { AIMessage } from "@langchain/core/messages";
import type { BaseCheckpointSaver, CheckpointPendingWrite } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { runOf, withRun } from "../core/run/run.js";
import { leftSchema } from "../core/run/usage-counter.js";
import { addUsage, usageSchema } from "../core/state/usage.js";
import { nextNodes } from "../langgraph/pending-nodes.js";

/** The channel of the note. No graph has this channel, and the note belongs to no task, so LangGraph ignores the note. */
const STOPPED_CHANNEL = "__glassloop_stopped";

const stoppedRunSchema = z.object({
  isCancelled: z.boolean(),
  /** What was shown of the answer. */
  shown: z.string(),
  /** The id under which it was shown. */
  id: z.string().optional(),
  /** What the node at which the run stopped has asked and spent. The checkpoint does not have it. */
  ...leftSchema.shape,
  /** The milliseconds that the turn had taken. The checkpoint may not have those of the run that stopped. */
  workedMs: z.number().default(0),
});

/** What a run leaves that failed, or that its caller cancelled. */
export type StoppedRun = z.infer<typeof stoppedRunSchema>;

/**
 * Leaves a note beside the newest checkpoint of a thread. The checkpoint stays what it is, so the turn can go on as after
 * a crash.
 */
export async function noteStopped(
  checkpointer: BaseCheckpointSaver,
  configurable: Readonly<Record<string, unknown>>,
  stopped: StoppedRun,
): Promise<void> {
  const { thread_id, checkpoint_ns } = configurable;
  const tuple = await checkpointer.getTuple({ configurable: { thread_id, checkpoint_ns } });
  if (tuple === undefined || nextNodes(tuple).length === 0) return;
  const at = withRun(tuple.config, runOf({ configurable }));
  await checkpointer.putWrites(at, [[STOPPED_CHANNEL, stopped]], randomUUID());
}

/**
 * Finds the note of the run that stopped last at a checkpoint. Notes come in any order, and each has the time of those before
 * it, too.
 */
export function stoppedRun(writes: readonly CheckpointPendingWrite[] = []): StoppedRun | undefined {
  const notes = writes
    .filter(([, channel]) => channel === STOPPED_CHANNEL)
    .flatMap(([, , note]) => stoppedRunSchema.safeParse(note).data ?? []);
  return notes.sort((one, other) => one.workedMs - other.workedMs).at(-1);
}

const list = z.array(z.unknown()).catch([]);
const leftToSchema = z.object({ messages: list, quietCalls: list, turn: z.looseObject({}).catch({}) });

/** Returns the values of a state as the run left them that stopped there. @param name The name on the agent's messages. */
export function valuesLeft<Values>(
  values: Values,
  { isCancelled, shown, id, spent, asked, quietCalls }: StoppedRun,
  name: string | undefined,
): Values {
  const { messages, quietCalls: before, turn } = leftToSchema.parse(values);
  const { usage } = z.object({ usage: usageSchema }).safeParse(values).data ?? {};
  const stopped = new Map(asked).get("reply");
  return {
    ...values,
    ...(usage && { usage: addUsage(usage, spent) }),
    ...(stopped && { turn: { ...turn, stopped } }),
    ...(quietCalls.length > 0 && { quietCalls: [...before, ...quietCalls] }),
    ...(isCancelled && { answer: shown || null, stopReason: "cancelled" }),
    ...(isCancelled &&
      shown && { messages: [...messages, new AIMessage({ id, content: shown, ...(name && { name }) })] }),
  };
}
