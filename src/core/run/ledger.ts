import { randomUUID } from "node:crypto";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { BaseCheckpointSaver, CheckpointPendingWrite, CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { hasCode, InvalidOptionError } from "../../base/errors.js";
import { checkpointOfNode, type NodeCheckpoint, unforkedLine } from "../../langgraph/node-checkpoint.js";
import type { AgentAction, IntermediateStep, Outcome } from "../state/decision.js";
import {
  BEGUN_CHANNEL,
  beganIn,
  type Calls,
  callOf,
  callsIn,
  ENDED_CHANNEL,
  lastPause,
  type Note,
  PAUSE_CHANNEL,
  type Pause,
  SETTLED_CHANNEL,
  settledPause,
  unusedAnswers,
} from "./notes.js";
import { runOf } from "./run.js";

/**
 * The record of the tool calls of a step. Its notes are pending writes of the checkpoint at which the step runs, in any
 * checkpointer. They survive the end of the process, so a finished call is not made again.
 */
export interface Ledger {
  /** Returns the outcome of a call; `begun` if it began and has none; undefined if it did not begin. */
  recall(action: AgentAction): Outcome | "begun" | undefined;
  /**
   * Notes that a call begins. The note is safe on disk when the promise resolves. If an agent in a tool makes the call, the
   * call of that tool is noted as begun, too.
   *
   * @param inside Given if an agent in the tool begins a call. `"kept"`: the inner agent finds its own record if the same
   *   step runs again.
   * @returns A function that takes the note back, for a call that stopped to ask a person and begins again with the answer.
   */
  begin(action: AgentAction, inside?: "kept" | "lost"): Promise<() => Promise<void>>;
  /** When calls began first, by their names ({@link callOf}). Who makes a call adds it. */
  readonly began: Map<string, string>;
  /** Notes the outcome of a call. */
  finish(action: AgentAction, outcome: Outcome): Promise<void>;
  /** What the step kept when it stopped to ask a person; undefined if it did not. */
  readonly paused: Pause | undefined;
  /** What it kept when it had taken the answer; undefined if it had not, or runs again from the past. */
  readonly settled: Pause | undefined;
  /** The answers that an earlier run was given and did not use, by the ids of their questions. */
  readonly unused: ReadonlyMap<string, unknown>;
  /** Keeps what the step needs to go on with the answer of a person. */
  pause(pause: Omit<Pause, "began">): Promise<void>;
  /** Keeps that the answer was taken. */
  settle(pause: Omit<Pause, "began">): Promise<void>;
}

/** What earlier runs of a step left. */
type Left = Pick<Ledger, "paused" | "settled" | "unused"> & { readonly calls: Calls; readonly began?: Ledger["began"] };

const nothing: Left = { calls: new Map(), paused: undefined, settled: undefined, unused: new Map() };

const replySchema = z.object({ reply: z.object({ id: z.string().default("") }) });

/**
 * Reads what earlier runs of a step left. `updateState` makes new checkpoints for the same reply: the notes of its calls
 * may stand beside each of them. A step that runs again from a checkpoint in the past makes its calls again, apart from
 * those that had finished when a person was asked, and the person is asked again.
 */
async function readLeft({ saver, id, config }: NodeCheckpoint): Promise<Left> {
  const newest = await saver.getTuple({ configurable: { ...config.configurable, checkpoint_id: undefined } });
  const isNewest = newest?.checkpoint.id === id;
  const own = isNewest ? newest : await saver.getTuple(config).catch(ifNotStored);
  if (own === undefined) return nothing;
  const writes = own.pendingWrites ?? [];
  const paused = lastPause(writes);
  const settled = isNewest ? settledPause(writes) : undefined;
  const known = [...(await callsOfReply(saver, own))].filter(([call]) => isNewest || paused?.finished.includes(call));
  return { calls: new Map(known), paused, settled, unused: unusedAnswers(writes), began: beganIn(writes) };
}

/** Reads what is on record of the calls of the reply that a checkpoint holds. */
export async function callsOfReply(saver: BaseCheckpointSaver, own: CheckpointTuple): Promise<Calls> {
  const line: CheckpointPendingWrite[] = [];
  const replyOf = ({ checkpoint }: CheckpointTuple) => replySchema.safeParse(checkpoint.channel_values).data?.reply.id;
  const reply = replyOf(own);
  for await (const tuple of unforkedLine(saver, own)) {
    if (replyOf(tuple) !== reply) break;
    line.push(...(tuple.pendingWrites ?? []));
  }
  return callsIn(line, own.checkpoint.id);
}

/** With `durability: "exit"` a run can begin at a checkpoint that is not stored yet, which has no notes. */
function ifNotStored(error: unknown): undefined {
  if (!hasCode(error, "checkpoint-not-kept")) throw error;
}

/**
 * Opens the ledger of the step that a node runs.
 *
 * @param steps The steps of the turn. `updateState` can make the node run an action of one of them again.
 * @param keeps False for an agent that keeps nothing of a run, although a graph around it may.
 */
export async function openLedger(
  config: LangGraphRunnableConfig,
  keeps: boolean,
  steps: readonly IntermediateStep[],
): Promise<Ledger> {
  const checkpoint = keeps ? checkpointOfNode(config) : undefined;
  // Reading checkpoints in each step is slow. If this run asked for the reply itself, it ran two nodes before `act`, and
  // there are no notes of earlier runs.
  const isNew = runOf(config).nodes > 2;
  const {
    calls,
    paused,
    settled,
    unused,
    began = new Map(),
  } = checkpoint && !isNew ? await readLeft(checkpoint) : nothing;
  const write = async (channel: string, note: Note) =>
    checkpoint?.saver.putWrites(checkpoint.config, [[channel, note]], randomUUID());
  const { around } = runOf(config);
  // A graph in a tool has a namespace of its own, and finds its notes again. A run with a thread of its own begins with its
  // question again.
  const isNested = Boolean(checkpoint?.config.configurable.checkpoint_ns);
  return {
    paused,
    settled,
    unused,
    began,
    recall: (action) => calls.get(callOf(action)) ?? (isNew ? undefined : resultIn(steps, action)),
    begin: async (action, inside) => {
      const attempt = randomUUID();
      await around?.beginEffect(isNested && inside !== "lost" ? "kept" : "lost");
      const at = inside === "kept" ? checkpoint?.id : undefined;
      const [call, { tool }] = [callOf(action), action];
      await write(BEGUN_CHANNEL, { call, attempt, tool, since: began.get(call), ...(at !== undefined && { at }) });
      return () => write(ENDED_CHANNEL, { undone: attempt });
    },
    finish: (action, outcome) => write(ENDED_CHANNEL, { call: callOf(action), outcome }),
    pause: (pause) => {
      if (checkpoint === undefined) throw new InvalidOptionError("checkpointer", noThread);
      return write(PAUSE_CHANNEL, { ...pause, began: Object.fromEntries(began) });
    },
    settle: (pause) => write(SETTLED_CHANNEL, { ...pause, began: Object.fromEntries(began) }),
  };
}

function resultIn(steps: readonly IntermediateStep[], action: AgentAction): Outcome | undefined {
  const call = callOf(action);
  return steps.flatMap(({ results }) => results).find((result) => callOf(result.action) === call);
}

const noThread =
  "a person is asked, and the turn waits on a thread, but this agent keeps none; leave out checkpointer: false, or give " +
  "(await openThreads(url)).checkpointer or another LangGraph checkpointer.";
