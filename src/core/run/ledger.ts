import { randomUUID } from "node:crypto";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { CheckpointPendingWrite } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { hasCode, InvalidOptionError } from "../../base/errors.js";
import { keptAnswers } from "../../langgraph/answers.js";
import { checkpointOfNode, checkpointsOfStep, type NodeCheckpoint } from "../../langgraph/node-checkpoint.js";
import { digestOfCall } from "../state/approval.js";
import { type AgentAction, type Outcome, outcomeSchema, toArguments } from "../state/decision.js";
import { type Pause, pauseSchema } from "./pause.js";
import { tellerIn } from "./teller.js";

/**
 * What is on record of the tool calls of a step. The notes stand beside the checkpoint at which the step runs, in any
 * checkpointer. So they survive the end of the process, and a call that has finished is not made again.
 */
export interface Ledger {
  /** Returns the outcome of a call; `begun` if it began and has none; undefined if it did not begin. */
  recall(action: AgentAction): Outcome | "begun" | undefined;
  /**
   * Notes that a call begins. The note is safe on disk when the promise resolves.
   *
   * @returns A function that takes the note back. The call stopped to ask a person, and begins again with the answer.
   */
  begin(action: AgentAction): Promise<() => Promise<void>>;
  /** Notes the outcome of a call. */
  finish(action: AgentAction, outcome: Outcome): Promise<void>;
  /** What the step kept when it stopped to ask a person; undefined if it did not. */
  readonly paused: Pause | undefined;
  /** Keeps what the step needs to go on with the answer of a person. */
  pause(pause: Pause): Promise<void>;
}

// No graph has these channels, and the notes belong to no task. So LangGraph leaves them alone.
const BEGUN_CHANNEL = "__glassloop_begun";
const PAUSE_CHANNEL = "__glassloop_pause";
/** The channel of notes that may be lost with the power. A call without its outcome counts as begun. */
export const ENDED_CHANNEL = "__glassloop_ended";

const begunSchema = z.object({ call: z.string(), attempt: z.string() });
const endedSchema = z.union([z.object({ call: z.string(), outcome: outcomeSchema }), z.object({ undone: z.string() })]);
const pausedSchema = z.object({ number: z.number(), pause: pauseSchema });

type Writes = readonly CheckpointPendingWrite[] | undefined;
type Calls = ReadonlyMap<string, Outcome | "begun">;

/** Reads what is on record of calls. Checkpointers keep the notes in any order. An outcome wins over all else. */
function callsIn(writes: Writes = []): Calls {
  const valuesOf = (name: string) => writes.flatMap(([, channel, value]) => (channel === name ? [value] : []));
  const ended = valuesOf(ENDED_CHANNEL).map((value) => endedSchema.parse(value));
  const undone = new Set(ended.map((note) => "undone" in note && note.undone));
  const begun = valuesOf(BEGUN_CHANNEL).map((value) => begunSchema.parse(value));
  return new Map<string, Outcome | "begun">([
    ...begun.flatMap(({ call, attempt }) => (undone.has(attempt) ? [] : [[call, "begun"] as const])),
    ...ended.flatMap((note) => ("call" in note ? [[note.call, note.outcome] as const] : [])),
  ]);
}

/** Finds the last note of a step that stopped to ask a person. */
function lastPause(writes: Writes = []): z.infer<typeof pausedSchema> | undefined {
  const notes = writes.flatMap(([, channel, value]) =>
    channel === PAUSE_CHANNEL ? (pausedSchema.safeParse(value).data ?? []) : [],
  );
  return notes.toSorted((a, b) => a.number - b.number).at(-1);
}

/** Tells whether there are notes about calls among the writes of these channels. */
export function holdsCalls(channels: readonly string[]): boolean {
  return channels.includes(BEGUN_CHANNEL) || channels.includes(ENDED_CHANNEL);
}

/**
 * Finds the answer that a run was given, but did not use before it was killed. LangGraph keeps an answer that names its
 * question, but shows it only to the run that brought it. Only a question of an agent's own step counts, because no two
 * of them have the same id.
 *
 * @returns The answer, by the id of its question.
 */
export function unusedAnswers(writes: readonly CheckpointPendingWrite[]): ReadonlyMap<string, unknown> {
  const asked = lastPause(writes)?.pause.asked;
  return new Map([...keptAnswers(writes)].filter(([id]) => id === asked?.id && !asked.isNested));
}

/** What earlier runs of a step left. */
interface Left {
  readonly calls: Calls;
  readonly paused: z.infer<typeof pausedSchema> | undefined;
}

/**
 * Reads what earlier runs of a step left. `updateState` makes a new checkpoint for the same step: what is on record of
 * its calls stands beside the one before, too. A step that runs again from a checkpoint in the past makes its calls again,
 * apart from those that had finished when a person was asked.
 */
async function readLeft({ saver, id, config }: NodeCheckpoint): Promise<Left> {
  const newest = await saver.getTuple({ configurable: { ...config.configurable, checkpoint_id: undefined } });
  if (newest?.checkpoint.id !== id) {
    const writes = await readWrites({ saver, id, config });
    const paused = lastPause(writes);
    return { calls: new Map([...callsIn(writes)].filter(([call]) => paused?.pause.finished.includes(call))), paused };
  }
  const writes: CheckpointPendingWrite[] = [];
  for await (const { pendingWrites = [] } of checkpointsOfStep(saver, newest)) writes.push(...pendingWrites);
  return { calls: callsIn(writes), paused: lastPause(newest.pendingWrites) };
}

/** Reads the writes beside a checkpoint. There are none beside one that is not stored yet (`durability: "exit"`). */
async function readWrites({ saver, config }: NodeCheckpoint): Promise<Writes> {
  try {
    return (await saver.getTuple(config))?.pendingWrites;
  } catch (error) {
    if (hasCode(error, "checkpoint-not-kept")) return undefined;
    throw error;
  }
}

/** Names a call: an action with another input is another call. */
export function callOf({ id, tool, toolInput }: AgentAction): string {
  return `${id} ${digestOfCall(tool, toArguments(toolInput))}`;
}

/**
 * Opens the ledger of the step that a node runs.
 *
 * @param keeps False for an agent that keeps nothing of a run, although a graph around it may.
 */
export async function openLedger(config: LangGraphRunnableConfig, keeps: boolean): Promise<Ledger> {
  const checkpoint = keeps ? checkpointOfNode(config) : undefined;
  if (checkpoint === undefined) return noLedger;
  // Only the first node of a run may have run before. To read a whole checkpoint in each step takes long.
  const mayHaveRun = tellerIn(config)?.isInFirstNode ?? true;
  const { calls, paused }: Left = mayHaveRun ? await readLeft(checkpoint) : { calls: new Map(), paused: undefined };
  const write = (channel: string, note: unknown) =>
    checkpoint.saver.putWrites(checkpoint.config, [[channel, note]], randomUUID());
  return {
    recall: (action) => calls.get(callOf(action)),
    begin: async (action) => {
      const attempt = randomUUID();
      await write(BEGUN_CHANNEL, { call: callOf(action), attempt } satisfies z.infer<typeof begunSchema>);
      return () => write(ENDED_CHANNEL, { undone: attempt } satisfies z.infer<typeof endedSchema>);
    },
    finish: (action, outcome) =>
      write(ENDED_CHANNEL, { call: callOf(action), outcome } satisfies z.infer<typeof endedSchema>),
    paused: paused?.pause,
    pause: (pause) =>
      write(PAUSE_CHANNEL, { number: (paused?.number ?? 0) + 1, pause } satisfies z.infer<typeof pausedSchema>),
  };
}

/** The ledger of a run that nothing is kept of. */
const noLedger: Ledger = {
  recall: () => undefined,
  begin: async () => async () => undefined,
  finish: async () => undefined,
  paused: undefined,
  pause: async () => {
    throw new InvalidOptionError("checkpointer", noThread);
  },
};

const noThread =
  "a person is asked, and the answer comes to a thread, but this agent keeps none; give " +
  "(await openThreads(url)).checkpointer or another LangGraph checkpointer.";
