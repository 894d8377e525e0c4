import { type Database, textOf } from "../databases/database.js";
import { noteOf } from "./checkpoint-tree.js";
import { readMoments } from "./moments.js";
import { type BegunStep, readFacts, stepsOf, type ThreadTurn, toTurn } from "./turns.js";

/** What an agent did in a tool. One in the tool of an inner agent stands beside it: its namespace begins with that of the other. */
export interface InnerRun extends Omit<ThreadTurn, "steps"> {
  /** The namespace of its checkpoints. */
  readonly namespace: string;
  /** The id of the call that ran it, in the step of the outer agent. */
  readonly call?: string | undefined;
  readonly steps: readonly BegunStep[];
}

/** Adds what agents did in the tools of steps. @param checkpoints The checkpoints of their turn, with the numbers of their steps. */
export async function withInnerRuns(
  database: Database,
  thread: string,
  all: readonly BegunStep[],
  checkpoints: readonly { readonly checkpoint: string; readonly step: number }[],
): Promise<(BegunStep & { readonly inner?: readonly InnerRun[] })[]> {
  const rows = await database.all(newestQuery, [thread]);
  const steps = new Map(checkpoints.map(({ checkpoint, step }) => [checkpoint, all[step - 1]]));
  const runs = rows.map(async (row) => {
    const step = steps.get(noteOf({ metadata: textOf(row, "metadata") }).parents[""] ?? "");
    const run = step && (await readRun(database, thread, textOf(row, "namespace"), textOf(row, "id"), step));
    return run ? [{ step, run }] : [];
  });
  const found = (await Promise.all(runs)).flat();
  return all.map((step) => {
    const inner = found.filter((one) => one.step === step).map(({ run }) => run);
    return inner.length === 0 ? step : { ...step, inner };
  });
}

async function readRun(database: Database, thread: string, namespace: string, id: string, { decision }: BegunStep) {
  const [end] = await readMoments(database, thread, [id], [], namespace);
  const facts = end && (await readFacts(database, thread, [end]));
  if (end === undefined || facts?.turn === undefined) return undefined;
  // One of several calls has its place in the name.
  const [, place = "0"] = /^act:[^|]*\|(\d+)/.exec(namespace) ?? [];
  const call = decision?.kind === "action" ? decision.actions[Number(place)]?.id : undefined;
  return { namespace, call, ...toTurn([end], facts), steps: stepsOf(facts, end) };
}

/** The newest checkpoint of each graph that ran in a tool. */
const newestQuery = `select c.namespace, c.id, c.metadata from glassloop_checkpoints c
  where c.thread = $1 and c.namespace like 'act:%' and c.sequence = (
    select max(sequence) from glassloop_checkpoints where thread = $1 and namespace = c.namespace) order by c.sequence`;
