import { z } from "zod";
import { type EventDetails, personAsked } from "../../core/run/events.js";
import type { RecordedEffect } from "../../core/run/notes.js";
import type { ApprovalRequest } from "../../core/state/approval.js";
import { promptRecordSchema } from "../../core/state/prompt-record.js";
import { quietCallSchema } from "../../core/state/quiet-call.js";
import { retrievalSchema } from "../../core/state/retrieval.js";
import { citationSchema, sourceSchema } from "../../core/state/source.js";
import type { ToolInput } from "../../tool-inputs/tool-input.js";
import { againIfPruned } from "../checkpoints/again-if-pruned.js";
import type { Database } from "../databases/database.js";
import { noteOf } from "./checkpoint-tree.js";
import { type InnerRun, withInnerRuns } from "./inner-runs.js";
import { type Moment, readMoments, readTree } from "./moments.js";
import { readUnfinished } from "./thread-status.js";
import {
  type BegunStep,
  pathTo,
  readChannels,
  readFacts,
  readGroups,
  stepsOf,
  type ThreadTurn,
  type TurnFacts,
  toTurn,
} from "./turns.js";
import { readUndoneEffects } from "./undone-effects.js";

/** A checkpoint of a turn. */
export interface TurnCheckpoint {
  readonly checkpoint: string;
  /** The time at which it was written: ISO 8601, UTC. */
  readonly at: string;
  /** The reason for which it was written, in LangGraph's words: `input`, `loop` (a super-step), `update` or `fork`. */
  readonly source: string;
  /** The nodes that worked since the checkpoint before it. */
  readonly nodes: readonly string[];
  /** The nodes that run next; none if the turn is over. */
  readonly next: readonly string[];
  /** The number of the step, from 1; 0 before the first one. */
  readonly step: number;
  /** The ids of later checkpoints that were set aside because they could not be read. */
  readonly repaired?: readonly string[] | undefined;
  /** The calls with effects of a turn after this checkpoint that was undone. Their effects stay. */
  readonly undone?: readonly RecordedEffect[] | undefined;
}

/** A turn with all that its steps did. */
export interface WholeTurn extends Omit<ThreadTurn, "steps">, z.output<typeof detailsSchema> {
  /** The steps. `inner` is what agents did in the tools of a step. */
  readonly steps: readonly (BegunStep & { readonly inner?: readonly InnerRun[] })[];
  /** Its checkpoints that are kept, the oldest first. */
  readonly checkpoints: readonly TurnCheckpoint[];
  /** The questions with which it waits for a person. */
  readonly waiting: readonly WaitingQuestion[];
}

/** What a person is asked, as events have it. Of a call more is told. */
export type WaitingQuestion =
  | EventDetails<"interrupt">
  | (Omit<EventDetails<"approval">, "requests"> & { readonly requests: readonly WaitingRequest[] });

/** A call that waits. `written` is its input as the model wrote it, `schema` that of its tool, as the newest prompt has it. */
export interface WaitingRequest extends ApprovalRequest {
  readonly written?: ToolInput | undefined;
  readonly schema?: Readonly<Record<string, unknown>> | undefined;
}

/** What a turn did beside its steps. The prompts of its quiet calls are left out. */
const detailsSchema = z.object({
  question: z.string().optional().catch(undefined),
  quietCalls: z.array(quietCallSchema.omit({ messages: true })).catch([]),
  retrieval: retrievalSchema.nullable().catch(null),
  sources: z.array(sourceSchema).catch([]),
  citations: z.array(citationSchema).catch([]),
});

/** Reads a turn on the way to a checkpoint, by its number; undefined if it is not there. */
export function readTurn(
  database: Database,
  thread: string,
  number: number,
  checkpoint: string | undefined,
): Promise<WholeTurn | undefined> {
  return againIfPruned(database, thread, async () => {
    const path = pathTo(await readTree(database, thread), thread, checkpoint);
    const end = await findEnd(
      path,
      async (id) => (await readMoments(database, thread, [id]))[0]?.turn ?? number,
      number,
    );
    const [moments] = (await readGroups(database, thread, path.slice(end), 1)).groups;
    if (moments === undefined || moments[0].turn !== number) return undefined;
    const facts = await readFacts(database, thread, moments);
    const [newest] = moments;
    const channels = facts ? await readChannels(database, thread, newest, Object.keys(detailsSchema.shape)) : {};
    const undone = await readUndoneEffects(database, thread);
    const waiting = facts && newest.next.length > 0 ? await readWaiting(database, thread, newest, facts) : [];
    const steps = facts ? stepsOf(facts, newest) : [];
    const checkpoints = await readCheckpoints(database, thread, moments, steps);
    return {
      ...toTurn(moments, facts),
      ...detailsSchema.parse(channels),
      steps: await withInnerRuns(database, thread, steps, checkpoints),
      checkpoints: checkpoints.map((one) => ({ ...one, undone: undone.get(one.checkpoint) })),
      waiting,
    };
  });
}

const promptSchema = z.object({ prompt: promptRecordSchema.pick({ tools: true }) }).catch({ prompt: { tools: [] } });

async function readWaiting(
  database: Database,
  thread: string,
  moment: Moment,
  { decision }: TurnFacts,
): Promise<WaitingQuestion[]> {
  const { interrupts = [] } = await readUnfinished(database, thread, moment.id, moment.versions.ts);
  if (interrupts.length === 0) return [];
  const { tools } = promptSchema.parse(await readChannels(database, thread, moment, ["prompt"])).prompt;
  const actions = decision?.kind === "action" ? decision.actions : [];
  return interrupts.map(personAsked).map((asked) => {
    if (asked.type === "interrupt") return asked;
    const requests = asked.requests.map((request) => ({
      ...request,
      written: actions.find(({ id }) => id === request.id)?.toolInput,
      schema: tools.find(({ name }) => name === request.tool)?.parameters,
    }));
    return { ...asked, requests };
  });
}

/** Finds the first place in a path, the newest first, with a turn of at most a number. Numbers only fall on it. */
async function findEnd(path: readonly string[], turnOf: (id: string) => Promise<number>, number: number) {
  let [low, high] = [0, path.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((await turnOf(path[middle] ?? "")) > number) low = middle + 1;
    else high = middle;
  }
  return low;
}

const replySchema = z.object({ reply: z.object({ id: z.string() }) });

/** Reads the id of the newest reply of a checkpoint. A moment has no reply with many calls: they are a long list. */
async function readReplyId(database: Database, thread: string, moment: Moment): Promise<string | undefined> {
  const isLong = moment.values.reply === undefined && "reply" in moment.versions.channel_versions;
  const values = isLong ? await readChannels(database, thread, moment, ["reply"]) : moment.values;
  return replySchema.safeParse(values).data?.reply.id;
}

/** Returns the checkpoints of a turn, the oldest first. Their replies tell the steps, as the first ones may have been pruned. */
async function readCheckpoints(
  database: Database,
  thread: string,
  moments: readonly Moment[],
  steps: readonly BegunStep[],
): Promise<TurnCheckpoint[]> {
  const ids = moments.map(({ id }) => id).toReversed();
  const kept = await readMoments(database, thread, ids, ["reply"]);
  const replies = await Promise.all(kept.map((moment) => readReplyId(database, thread, moment)));
  let step = 0;
  return kept.map((moment, n) => {
    const { source, repaired } = noteOf(moment);
    const nodes = source === "loop" ? (kept[n - 1]?.next ?? []) : [];
    const id = replies[n];
    step = steps.findIndex(({ reply }) => reply.id === id) + 1 || step;
    const { id: checkpoint, next, versions } = moment;
    return { checkpoint, at: versions.ts, source, nodes, next, step, repaired };
  });
}
