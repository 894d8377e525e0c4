import { randomUUID } from "node:crypto";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { CheckpointPendingWrite, CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { hasCode, InvalidOptionError } from "../../base/errors.js";
import { checkpointOfNode, lineOf, type NodeCheckpoint } from "../../langgraph/node-checkpoint.js";
import { answersIn } from "../../langgraph/pending-writes.js";
import { approvalDecisionSchema, digestOfCall } from "../state/approval.js";
import { type AgentAction, type Outcome, outcomeSchema, toArguments } from "../state/decision.js";
import { tellerIn } from "./teller.js";

/** A question to a person. `by` is the id of the action whose tool asks; it is empty if the agent asks for decisions. */
const questionSchema = z.object({
  id: z.string(),
  by: z.string(),
  /** True if a graph in the tool asks. */
  isNested: z.boolean(),
  /** The requests that the person was shown, and the value of the interrupt. */
  shown: z.array(z.string()),
  value: z.unknown(),
});
export type Question = z.infer<typeof questionSchema>;

/**
 * What the node `act` keeps when it stops to ask a person. It finds it when it runs again.
 *
 * - `asked`: the question that waits.
 * - `answered`: the number of questions that have an answer.
 * - `tookBareAnswer`: true if one of the answers came without the id of its question.
 * - `answers`: the answers to the questions of a tool, by the id of its action.
 * - `decided`: the decisions, by the id of the action. Each has the digest of the call that the person was shown.
 * - `finished`: the other actions of the step, as the ledger names their calls. Their outcomes are on record.
 */
const pauseSchema = z.object({
  asked: questionSchema,
  answered: z.number(),
  tookBareAnswer: z.boolean(),
  answers: z.record(z.string(), z.array(z.unknown())),
  decided: z.record(z.string(), z.object({ digest: z.string(), decision: approvalDecisionSchema })),
  finished: z.array(z.string()),
});
export type Pause = z.infer<typeof pauseSchema>;

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
  /** The answers that an earlier run was given and did not use, by the ids of their questions. */
  readonly unused: ReadonlyMap<string, unknown>;
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
type Note = z.infer<typeof begunSchema> | z.infer<typeof endedSchema> | Pause;

type Writes = readonly CheckpointPendingWrite[];
type Calls = ReadonlyMap<string, Outcome | "begun">;

function valuesOf(name: string, writes: Writes): unknown[] {
  return writes.flatMap(([, channel, value]) => (channel === name ? [value] : []));
}

/** Reads what is on record of calls. Checkpointers keep the notes in any order. An outcome wins over all else. */
function callsIn(writes: Writes): Calls {
  const ended = valuesOf(ENDED_CHANNEL, writes).map((value) => endedSchema.parse(value));
  const undone = new Set(ended.map((note) => "undone" in note && note.undone));
  const begun = valuesOf(BEGUN_CHANNEL, writes).map((value) => begunSchema.parse(value));
  return new Map<string, Outcome | "begun">([
    ...begun.flatMap(({ call, attempt }) => (undone.has(attempt) ? [] : [[call, "begun"] as const])),
    ...ended.flatMap((note) => ("call" in note ? [[note.call, note.outcome] as const] : [])),
  ]);
}

/** Finds what a step kept when it stopped to ask a person the last time. */
function lastPause(writes: Writes): Pause | undefined {
  const pauses = valuesOf(PAUSE_CHANNEL, writes).flatMap((value) => pauseSchema.safeParse(value).data ?? []);
  return pauses.toSorted((a, b) => a.answered - b.answered).at(-1);
}

/** Tells whether a text of stored writes holds notes about calls. */
export function holdsCalls(text: string): boolean {
  return text.includes(BEGUN_CHANNEL) || text.includes(ENDED_CHANNEL);
}

/**
 * Finds the answer that a run was given, but did not use before it was killed. LangGraph keeps an answer that names its
 * question, but shows it only to the run that brought it. Only a question of an agent's own step counts, because no two
 * of them have the same id.
 *
 * @returns The answer, by the id of its question.
 */
export function unusedAnswers(writes: Writes): ReadonlyMap<string, unknown> {
  const asked = lastPause(writes)?.asked;
  return new Map([...answersIn(writes)].filter(([id]) => id === asked?.id && !asked.isNested));
}

/** What earlier runs of a step left. */
type Left = Pick<Ledger, "paused" | "unused"> & { readonly calls: Calls };

const nothing: Left = { calls: new Map(), paused: undefined, unused: new Map() };

const replySchema = z.object({ reply: z.object({ id: z.string().default("") }) });

/**
 * Reads what earlier runs of a step left. `updateState` makes new checkpoints for the same reply: the notes of its calls
 * may stand beside each of them. A step that runs again from a checkpoint in the past makes its calls again, apart from
 * those that had finished when a person was asked.
 */
async function readLeft({ saver, id, config }: NodeCheckpoint): Promise<Left> {
  const newest = await saver.getTuple({ configurable: { ...config.configurable, checkpoint_id: undefined } });
  const isNewest = newest?.checkpoint.id === id;
  const own = isNewest ? newest : await saver.getTuple(config).catch(ifNotStored);
  if (own === undefined) return nothing;
  const line: CheckpointPendingWrite[] = [];
  const replyOf = ({ checkpoint }: CheckpointTuple) => replySchema.safeParse(checkpoint.channel_values).data?.reply.id;
  const reply = replyOf(own);
  for await (const tuple of lineOf(saver, own)) {
    if (replyOf(tuple) !== reply) break;
    line.push(...(tuple.pendingWrites ?? []));
  }
  const writes = own.pendingWrites ?? [];
  const paused = lastPause(writes);
  const known = [...callsIn(line)].filter(([call]) => isNewest || paused?.finished.includes(call));
  return { calls: new Map(known), paused, unused: unusedAnswers(writes) };
}

/** With `durability: "exit"` a run can begin at a checkpoint that is not stored yet. Nothing is beside it. */
function ifNotStored(error: unknown): undefined {
  if (!hasCode(error, "checkpoint-not-kept")) throw error;
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
  // To read checkpoints in each step takes long. A reply that the run asked for has been in two nodes before.
  const isNew = (tellerIn(config)?.nodes ?? 0) > 2;
  const { calls, paused, unused } = checkpoint && !isNew ? await readLeft(checkpoint) : nothing;
  const write = async (channel: string, note: Note) =>
    checkpoint?.saver.putWrites(checkpoint.config, [[channel, note]], randomUUID());
  return {
    paused,
    unused,
    recall: (action) => calls.get(callOf(action)),
    begin: async (action) => {
      const attempt = randomUUID();
      await write(BEGUN_CHANNEL, { call: callOf(action), attempt });
      return () => write(ENDED_CHANNEL, { undone: attempt });
    },
    finish: (action, outcome) => write(ENDED_CHANNEL, { call: callOf(action), outcome }),
    pause: (pause) => {
      if (checkpoint === undefined) throw new InvalidOptionError("checkpointer", noThread);
      return write(PAUSE_CHANNEL, pause);
    },
  };
}

const noThread =
  "a person is asked, and the answer comes to a thread, but this agent keeps none; give " +
  "(await openThreads(url)).checkpointer or another LangGraph checkpointer.";
