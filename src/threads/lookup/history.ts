import { z } from "zod";
import type { RecordedEffect } from "../../core/run/notes.js";
import { againIfPruned } from "../checkpoints/again-if-pruned.js";
import type { Database } from "../databases/database.js";
import { noteOf } from "./checkpoint-tree.js";
import { type Moment, readMoments, readTree } from "./moments.js";
import { pathTo, readGroups, type TurnMoments } from "./turns.js";
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
    const tree = await readTree(database, thread);
    const path = pathTo(tree, thread, undefined);
    const { groups } = await readGroups(database, thread, path, Number.POSITIVE_INFINITY, channels);
    const tips = tree.tips.flatMap(({ id }) => (id === path[0] ? [] : [id]));
    const ends = await readMoments(database, thread, tips, channels);
    const undone = await readUndoneEffects(database, thread);
    return {
      turns: groups.map((moments) => toTurn(moments, undone)),
      branches: ends.map((end) => ({
        checkpoint: end.id,
        from: tree.branchPointOf(end.id)?.id,
        turn: end.turn,
        answer: end.isBeginning ? undefined : factsOf(end).answer,
      })),
    };
  });
}

/** The values of an agent's channels that describe a turn. A value of another form belongs to another graph, and is left out. */
const factsSchema = z.object({
  turn: z.object({ asked: z.string() }).optional().catch(undefined),
  decision: z
    .object({ kind: z.literal("action"), actions: z.array(z.object({ tool: z.string() })) })
    .optional()
    .catch(undefined),
  answer: z.string().optional().catch(undefined),
  stopReason: z.string().optional().catch(undefined),
  workedMs: z.number().optional().catch(undefined),
});
const channels = Object.keys(factsSchema.shape);
const factsOf = ({ values }: Moment) => factsSchema.parse(values);

type Undone = ReadonlyMap<string, readonly RecordedEffect[]>;

function toTurn([...moments]: TurnMoments, undone: Undone): HistoryTurn {
  const end = moments.find(({ isBeginning }) => !isBeginning);
  const { turn, answer, stopReason, workedMs } = end ? factsOf(end) : {};
  const steps = moments.toReversed().map((moment) => toStep(moment, undone));
  return { number: moments[0]?.turn ?? 0, asked: turn?.asked, answer, stopReason, workedMs, steps };
}

function toStep(moment: Moment, undone: Undone): HistoryStep {
  const { id, versions, next } = moment;
  const { source, repaired } = noteOf(moment);
  const tools = next.includes("act") ? (factsOf(moment).decision?.actions ?? []).map(({ tool }) => tool) : [];
  return { checkpoint: id, at: versions.ts, source, next, tools, repaired, undone: undone.get(id) };
}
