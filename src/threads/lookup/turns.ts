import { z } from "zod";
import { ThreadError } from "../../base/errors.js";
import { inOneLine, shorten } from "../../base/shorten.js";
import type { Decided } from "../../core/state/approval.js";
import {
  type ActionResult,
  decisionSchema,
  type IntermediateStep,
  intermediateStepSchema,
  type Reply,
  replySchema,
} from "../../core/state/decision.js";
import { type UsageCounts, usageSchema } from "../../core/state/usage.js";
import { stoppedRun, valuesLeft } from "../../graph/stopped-run.js";
import { againIfPruned } from "../checkpoints/again-if-pruned.js";
import type { Database } from "../databases/database.js";
import { ThreadCache } from "../values/cache.js";
import { readChannelValues } from "../values/read-channels.js";
import type { CheckpointTree } from "./checkpoint-tree.js";
import { type Moment, readMoments, readTree } from "./moments.js";
import { readWritesAt } from "./thread-status.js";

/** A turn of a thread, with each of its steps in a line. */
export interface ThreadTurn {
  /** The number of the turn, from 1; 0 for a thread of a graph that is not an agent's. */
  readonly number: number;
  /** The ids of its first checkpoint that is kept, and of its last one. */
  readonly begin: string;
  readonly end: string;
  /** The question, in the person's own words; undefined if the turn has not begun. */
  readonly asked?: string | undefined;
  readonly answer?: string | undefined;
  readonly stopReason?: string | undefined;
  /** The times of the question and of the last checkpoint: ISO 8601, UTC. */
  readonly startedAt?: string | undefined;
  readonly writtenAt: string;
  /** The milliseconds in which the agent worked on the turn; undefined for other graphs. */
  readonly workedMs?: number | undefined;
  readonly usage?: UsageCounts | undefined;
  /** The nodes that run next; none if the turn is over. */
  readonly next: readonly string[];
  readonly steps: readonly TurnStep[];
}

/** A step of a turn, in a line. */
export interface TurnStep {
  /** The id of its reply, with which the ids of its calls begin. */
  readonly reply?: string | undefined;
  /** What was read in the reply; undefined if it was not read yet. */
  readonly kind?: IntermediateStep["decision"]["kind"] | undefined;
  /** Why the reply could not be followed, or the limit that it met. */
  readonly why?: string | undefined;
  /** The limit that kept the reply from being followed. */
  readonly limit?: string | undefined;
  /** When a model was asked for the reply, and how long that took, with all tries; undefined if it is not known. */
  readonly times?: Reply["times"];
  readonly calls: readonly {
    readonly id: string;
    readonly tool: string;
    /** The beginning of the input, on one line. */
    readonly input: string;
    /** How the call ended; undefined if it was not made yet. */
    readonly status?: "success" | "error" | "unknown" | undefined;
    /** The beginning of the result, on one line. */
    readonly result?: string | undefined;
    /** When its tool was called first, and how long the call took. */
    readonly times?: ActionResult["times"];
    /** When a person was asked about it, when they decided, and who it was. */
    readonly decided?: Decided | undefined;
  }[];
}

/** Some turns of a thread. */
export interface TurnPage {
  /** The turns, the oldest first. */
  readonly turns: readonly ThreadTurn[];
  /** True if there are older turns. Read them with `before`, the `begin` of the first turn of this page. */
  readonly hasOlder: boolean;
  /** The newest 100 branches that left the way of these turns. */
  readonly branches: readonly TurnBranch[];
}

/** A branch that a thread left. Examples: an answer was made anew, a question was changed, a state was edited. */
export interface TurnBranch {
  /** The ids of the checkpoint at which it left the others, and of its last one. */
  readonly parent: string;
  readonly leaf: string;
  readonly turn: number;
  readonly answer?: string | undefined;
}

/** Which turns of a thread to read. */
export interface TurnsWanted {
  readonly limit: number;
  /** The checkpoint to which they lead; the newest one by default. */
  readonly checkpoint?: string | undefined;
  /** The checkpoint before which they are, in place of `checkpoint`. */
  readonly before?: string | undefined;
}

/** Reads the newest turns on the way to a checkpoint. */
export function readTurns(database: Database, thread: string, wanted: TurnsWanted): Promise<TurnPage> {
  return againIfPruned(database, thread, async () => {
    const { limit, before, checkpoint } = wanted;
    const tree = await readTree(database, thread);
    const path = pathTo(tree, thread, before ?? checkpoint);
    const on = before === undefined ? path : path.slice(1);
    const { groups, hasOlder } = await readGroups(database, thread, on, limit);
    const turns = await Promise.all(groups.map((group) => readTurnOf(database, thread, group)));
    return { turns, hasOlder, branches: await readBranches(database, thread, { tree, head: path[0], groups }) };
  });
}

/** Returns the ids on the way to a checkpoint, the newest first. @throws ThreadError "checkpoint-not-kept" */
export function pathTo(tree: Tree, thread: string, checkpoint: string | undefined): string[] {
  const path = [...tree.pathFrom(checkpoint ?? tree.newest?.id ?? "")].map(({ id }) => id);
  if (checkpoint !== undefined && path.length === 0) throw new ThreadError("checkpoint-not-kept", thread, checkpoint);
  return path;
}

type Tree = CheckpointTree<{ readonly namespace: string; readonly id: string; readonly parent: string | undefined }>;

/** The checkpoints of a turn, the newest first. */
export type TurnMoments = readonly [Moment, ...Moment[]];

/** The checkpoints that are read at once. */
const CHUNK = 100;

/** Reads the newest turns of a path, whose ids begin with the newest one. Returns the oldest turn first. */
export async function readGroups(
  database: Database,
  thread: string,
  path: readonly string[],
  limit: number,
  channels?: readonly string[],
) {
  const groups: [Moment, ...Moment[]][] = [];
  for (let at = 0; at < path.length && groups.length <= limit; at += CHUNK) {
    for (const moment of await readMoments(database, thread, path.slice(at, at + CHUNK), channels)) {
      const last = groups.at(-1);
      if (last?.[0].turn === moment.turn) last.push(moment);
      else groups.push([moment]);
    }
  }
  return { groups: groups.slice(0, limit).reverse(), hasOlder: groups.length > limit };
}

/** The values of an agent's channels that tell of a turn. A value of another form belongs to another graph, and is left out. */
const factsSchema = z.object({
  turn: z.object({ number: z.number(), asked: z.string(), startedAt: z.string() }).optional().catch(undefined),
  answer: z.string().optional().catch(undefined),
  stopReason: z.string().optional().catch(undefined),
  workedMs: z.number().optional().catch(undefined),
  usage: usageSchema.optional().catch(undefined),
  intermediateSteps: z.array(intermediateStepSchema).catch([]),
  reply: replySchema.nullish().catch(undefined),
  decision: decisionSchema.nullish().catch(undefined),
});

/**
 * Reads the facts of a turn in its last checkpoint that is no longer of the turn before; undefined if there is none. What a run
 * left that was stopped there is among them.
 */
export async function readFacts(database: Database, thread: string, [...moments]: TurnMoments) {
  const end = moments.find(({ isBeginning }) => !isBeginning);
  if (end === undefined) return undefined;
  const values = await readChannels(database, thread, end, Object.keys(factsSchema.shape));
  const stopped =
    end.next.length > 0
      ? stoppedRun(await readWritesAt(database, { thread, namespace: end.namespace }, end.id))
      : undefined;
  if (stopped === undefined) return factsSchema.parse(values);
  return factsSchema.parse({ ...valuesLeft(values, stopped, undefined), workedMs: stopped.workedMs });
}

/** Reads some channels of a checkpoint. */
export function readChannels(
  database: Database,
  thread: string,
  { namespace, versions }: Moment,
  names: readonly string[],
) {
  const wanted = Object.entries(versions.channel_versions).filter(([channel]) => names.includes(channel));
  return readChannelValues(database, { thread, namespace, cache: new ThreadCache() }, Object.fromEntries(wanted));
}

async function readTurnOf(database: Database, thread: string, moments: TurnMoments): Promise<ThreadTurn> {
  return toTurn(moments, await readFacts(database, thread, moments));
}

export type TurnFacts = z.output<typeof factsSchema>;

export function toTurn(moments: TurnMoments, facts: TurnFacts | undefined): ThreadTurn {
  const [end] = moments;
  const { turn, answer, stopReason, workedMs, usage } = facts ?? {};
  return {
    number: end.turn,
    begin: moments.at(-1)?.id ?? end.id,
    end: end.id,
    asked: turn?.asked,
    answer,
    stopReason,
    startedAt: turn?.startedAt,
    writtenAt: end.versions.ts,
    workedMs,
    usage: usage?.turn,
    next: end.next,
    steps: facts ? stepsOf(facts, end).map(lineOf) : [],
  };
}

/** A step as far as it has come. */
export type BegunStep = Pick<IntermediateStep, "reply" | "results"> & Partial<Pick<IntermediateStep, "decision">>;

/** Returns the steps of a turn, with the one that has not ended, and with the reply that became the answer. */
export function stepsOf({ intermediateSteps: steps, reply, decision }: TurnFacts, { next }: Moment): BegunStep[] {
  if (!reply || steps.some((step) => step.reply.id === reply.id)) return steps;
  const isRead = decision && !next.includes("parse");
  return [...steps, { reply, results: [], ...(isRead && { decision }) }];
}

const LINE = 200;

function lineOf({ reply, decision, results }: BegunStep): TurnStep {
  const actions = decision?.kind === "action" ? decision.actions : [];
  return {
    reply: reply.id,
    kind: decision?.kind,
    why: decision?.kind === "action" ? undefined : decision?.why,
    limit: decision?.kind === "unparseable" ? decision.limit : undefined,
    times: reply.times,
    calls: actions.map(({ id, tool, toolInput }) => {
      const result = results.find(({ action }) => action.id === id);
      const input = typeof toolInput === "string" ? toolInput : JSON.stringify(toolInput);
      const { status, times, decided } = result ?? {};
      return { id, tool, input: line(input), status, result: result && line(result.observation), times, decided };
    }),
  };
}

function line(text: string): string {
  return shorten(inOneLine(text.slice(0, 10 * LINE)), LINE);
}

const MOST_BRANCHES = 100;

interface Way {
  readonly tree: Tree;
  readonly head: string | undefined;
  readonly groups: readonly TurnMoments[];
}

async function readBranches(database: Database, thread: string, { tree, head, groups }: Way): Promise<TurnBranch[]> {
  const onWay = new Set(groups.flat().map(({ id }) => id));
  const left = tree.tips.flatMap(({ id: leaf }) => {
    const parent = tree.branchPointOf(leaf)?.id;
    const isLeft = parent !== undefined && onWay.has(parent);
    return isLeft && ![...tree.pathFrom(leaf)].some(({ id }) => id === head) ? [{ leaf, parent }] : [];
  });
  const newest = left.slice(-MOST_BRANCHES);
  const ends = await readMoments(
    database,
    thread,
    newest.map(({ leaf }) => leaf),
  );
  const branches = newest.map(async ({ leaf, parent }): Promise<TurnBranch[]> => {
    const end = ends.find(({ id }) => id === leaf);
    if (end === undefined) return [];
    const { answer } = (await readFacts(database, thread, [end])) ?? {};
    return [{ parent, leaf, turn: end.turn, answer: answer && line(answer) }];
  });
  return (await Promise.all(branches)).flat();
}
