import { z } from "zod";
import type { RecordedEffect } from "../../core/run/notes.js";
import { pendingNodes } from "../../langgraph/pending-nodes.js";
import { againIfPruned } from "../checkpoints/again-if-pruned.js";
import { toTriggers, triggerQuery } from "../checkpoints/pending-nodes.js";
import { type CheckpointRow, checkpointQuery, toCheckpointRow } from "../checkpoints/thread-content.js";
import { type Database, numberOf, type Row, textOf } from "../databases/database.js";
import { readBodies } from "../values/read-channels.js";
import { CheckpointTree, noteOf } from "./checkpoint-tree.js";
import { FIRST_NODE, isBeginning } from "./moments.js";
import { readUndoneEffects } from "./undone-effects.js";

/** A checkpoint of a turn, with the reason for it and the next nodes. */
export interface HistoryStep {
  /** The id of the checkpoint, which you need to fork or replay it. */
  readonly checkpoint: string;
  /** The time at which it was written: ISO 8601, UTC. */
  readonly at: string;
  /**
   * The reason for which it was written, in LangGraph's words: `input`, `loop` (a super-step), `update` (of the state)
   * or `fork`.
   */
  readonly source: string;
  /** The nodes that run next; none if the turn is over. */
  readonly next: readonly string[];
  /** The tools that the agent calls next; none if another step is next. */
  readonly tools: readonly string[];
  /** The ids of later checkpoints that were set aside because they could not be read; undefined if none were. */
  readonly repaired?: readonly string[];
  /**
   * The calls with effects of a turn after this checkpoint that was undone. Their effects stay. Undefined if there are none.
   */
  readonly undone?: readonly RecordedEffect[];
}

/** A turn, with the checkpoints of it that are kept. */
export interface HistoryTurn {
  /** The number of the turn, from 1; 0 for a thread of a graph that is not an agent's. */
  readonly number: number;
  /** The question, in the person's own words; undefined if the turn has not begun. */
  readonly asked?: string;
  readonly answer?: string;
  readonly stopReason?: string;
  /** The milliseconds in which the agent worked on the turn; undefined for other graphs. */
  readonly workedMs?: number;
  /** The checkpoints of the turn, the oldest first. */
  readonly steps: readonly HistoryStep[];
}

/** A branch that the thread left. Examples: an answer was made anew, a question was changed, a state was edited. */
export interface HistoryBranch {
  /** The id of the last checkpoint of the branch. */
  readonly checkpoint: string;
  /** The id of the checkpoint at which it left the others; undefined if that one is not kept. */
  readonly from?: string;
  readonly turn: number;
  readonly answer?: string;
}

/** The past of a thread. */
export interface ThreadHistory {
  /** The turns on the way to the newest checkpoint, the oldest first. */
  readonly turns: readonly HistoryTurn[];
  readonly branches: readonly HistoryBranch[];
}

/** Reads the past of a thread, as far as it is kept. */
export function readHistory(database: Database, thread: string): Promise<ThreadHistory> {
  return againIfPruned(database, thread, async () => {
    const [moments, undone] = await Promise.all([readMoments(database, thread), readUndoneEffects(database, thread)]);
    return toHistory(moments.map((moment) => ({ ...moment, undone: undone.get(moment.id) })));
  });
}

async function readMoments(database: Database, thread: string): Promise<Omit<Moment, "undone">[]> {
  const queries = [checkpointQuery, triggerQuery, factQuery].map((sql) => ({ sql, parameters: [thread] }));
  const [checkpoints = [], triggers = [], factRows = []] = await database.batch(queries, { reading: true });
  const [isSet, values] = [toTriggers(triggers), await readFacts(database, thread, factRows)];
  return checkpoints.flatMap(toCheckpointRow).map((row) => {
    const next = pendingNodes(row.versions, isSet);
    const facts = Object.entries(row.versions.channel_versions).map(([channel, version]) => [
      channel,
      values.get(`${channel}\0${version}`),
    ]);
    return { ...row, next, facts: factsSchema.parse(Object.fromEntries(facts)) };
  });
}

function toHistory(moments: readonly Moment[]): ThreadHistory {
  const isAgents = moments.some(({ facts, next }) => facts.turn !== undefined || next.includes(FIRST_NODE));
  const turnOf = (moment: Moment) =>
    isAgents ? (moment.facts.turn?.number ?? 0) + (isBeginning(moment.next) ? 1 : 0) : 0;
  const tree = new CheckpointTree(moments);
  const { newest } = tree;
  if (newest === undefined) return { turns: [], branches: [] };
  const path = [...tree.pathFrom(newest.id)].reverse();
  const tips = tree.tips.filter(({ id }) => id !== newest.id);
  return {
    turns: turnsOf(path, turnOf),
    branches: tips.map((tip) => ({
      checkpoint: tip.id,
      ...definedFrom({ from: tree.branchPointOf(tip.id)?.id, answer: answerOf(tip) }),
      turn: turnOf(tip),
    })),
  };
}

/**
 * The values of an agent's channels that describe a turn. A value of another form belongs to another graph, and is left
 * out.
 */
const factsSchema = z.object({
  turn: z.object({ number: z.number(), asked: z.string() }).optional().catch(undefined),
  decision: z
    .object({ kind: z.literal("action"), actions: z.array(z.object({ tool: z.string() })) })
    .optional()
    .catch(undefined),
  answer: z.string().optional().catch(undefined),
  stopReason: z.string().optional().catch(undefined),
  workedMs: z.number().optional().catch(undefined),
});

interface Moment extends CheckpointRow {
  readonly versions: { readonly ts: string };
  readonly next: readonly string[];
  readonly facts: z.infer<typeof factsSchema>;
  readonly undone: readonly RecordedEffect[] | undefined;
}

function answerOf(moment: Moment): string | undefined {
  return isBeginning(moment.next) ? undefined : moment.facts.answer;
}

function turnsOf(path: readonly Moment[], turnOf: (moment: Moment) => number): HistoryTurn[] {
  const turns: { number: number; moments: Moment[] }[] = [];
  for (const moment of path) {
    const last = turns.at(-1);
    if (last !== undefined && last.number === turnOf(moment)) last.moments.push(moment);
    else turns.push({ number: turnOf(moment), moments: [moment] });
  }
  return turns.map(({ number, moments }) => toTurn(number, moments));
}

function toTurn(number: number, moments: readonly Moment[]): HistoryTurn {
  const last = moments.findLast((moment) => !isBeginning(moment.next))?.facts;
  return {
    number,
    ...definedFrom({
      asked: last?.turn?.asked,
      answer: last?.answer,
      stopReason: last?.stopReason,
      workedMs: last?.workedMs,
    }),
    steps: moments.map(toStep),
  };
}

function toStep(moment: Moment): HistoryStep {
  const { id, versions, next, facts, undone } = moment;
  const tools = next.includes("act") ? (facts.decision?.actions ?? []).map(({ tool }) => tool) : [];
  const { source, repaired } = noteOf(moment);
  return {
    checkpoint: id,
    at: versions.ts,
    source,
    next,
    tools,
    ...(repaired && { repaired }),
    ...(undone && { undone }),
  };
}

/** Returns an object without its undefined properties. */
function definedFrom<T extends Record<string, string | number | undefined>>(
  values: T,
): { [Key in keyof T]?: NonNullable<T[Key]> } {
  const result: { [Key in keyof T]?: NonNullable<T[Key]> } = {};
  for (const key in values) {
    const value = values[key];
    if (value !== undefined) result[key] = value;
  }
  return result;
}

/**
 * Reads all values of the channels that describe a turn. The keys are channel and version. A value with a long list does not
 * describe a turn: it is a decision for very many tools at once.
 */
async function readFacts(database: Database, thread: string, rows: readonly Row[]): Promise<Map<string, unknown>> {
  const bodies = rows.map((row) => textOf(row, "body"));
  const values = await readBodies(database, thread, bodies);
  return new Map(rows.map((row, n) => [`${textOf(row, "channel")}\0${numberOf(row, "version")}`, values[n]]));
}

const factQuery = `select channel, version, body from glassloop_versions
  where thread = $1 and namespace = '' and channel in ('turn', 'decision', 'answer', 'stopReason', 'workedMs')`;
