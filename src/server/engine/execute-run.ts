import { setMaxListeners } from "node:events";
import type { RunControl, StateSnapshot } from "@langchain/langgraph";
import { Command, Send } from "@langchain/langgraph";
import { z } from "zod";
import { isRecord } from "../../base/is-record.js";
import { DECIDER_KEY, LeaseHolder, RUN_KEY } from "../../core/run/keeper.js";
import { REWIND_KEY } from "../../graph/rewound-turn.js";
import { isGuarded } from "../../langgraph/guarded-graph.js";
import { INPUT_CHANNEL } from "../../langgraph/names.js";
import { type HeldRun, ItemStore, runIdOf, type ThreadCheckpointer } from "../../threads/runs/index.js";
import { wireJson } from "../wire/wire-json.js";
import { questionsSchema } from "./questions.js";
import type { Pair, Recording } from "./recording.js";
import type { Run, RunInput, RunOrder } from "./run-engine.js";
import type { ServedGraph } from "./served-graph.js";
import { isSaidAgain, readHead, refuseSaid } from "./thread-head.js";
import { shortened } from "./values-elsewhere.js";
import { libraryModes, type WireEvent, wireEvents } from "./wire-events.js";

/** A run to execute, and what it needs. */
interface Execution {
  readonly order: Run;
  readonly held: HeldRun;
  /** True if what the run was given is stored in its thread. */
  readonly hasBegun: boolean;
  readonly graph: ServedGraph;
  readonly checkpointer: ThreadCheckpointer;
  readonly recording: Recording;
  readonly signal: AbortSignal;
  readonly control: RunControl;
}

/**
 * Runs a graph for a run, and records its events. A run that another process has begun goes on where the thread stands.
 *
 * @throws The error that ended the run; the reason of the signal if it was stopped.
 */
export async function executeRun(execution: Execution): Promise<void> {
  const { order, held: run, graph, recording } = execution;
  recording.add("metadata", wireJson({ run_id: order.id, attempt: run.attempt }));
  const hasBegun = execution.hasBegun || (isGuarded(graph) && (await isSaidAgain(order, graph)));
  const state = hasBegun ? await graph.getState({ configurable: { thread_id: order.thread } }) : undefined;
  // A task that has stored its writes is not in `next`, although their checkpoint may be missing.
  if (state !== undefined && (state.tasks.length === 0 || (await isAtBreakpoint(state, execution)))) {
    recording.add("values", wireJson(state.values));
    return;
  }
  // Between the request and now another run may have said it.
  if (order.onlyAsks && !hasBegun)
    refuseSaid(questionsSchema.parse(order.given.input), await readHead(graph, order.thread));
  using checkpoints = execution.checkpointer.shared.runs.watch(run);
  await withLease(execution, async (held, signal) => {
    // LangGraph adds a listener for each super-step. Node.js would warn of a leak from the eleventh on.
    setMaxListeners(0, signal);
    const options = { ...optionsOf(execution), signal };
    const place = hasBegun ? nowhere : checkpointOf(order.given);
    const configurable = { ...options.configurable, ...place, ...held };
    const stream = await graph.stream(hasBegun ? null : inputOf(order.given), { ...options, configurable });
    for await (const chunk of stream) {
      for (const event of wireEvents(chunk, order.given)) {
        const pair = pairOf(event);
        const json = pair ? `[${pair.first},${pair.second}]` : wireJson(event.data);
        recording.add(event.event, json, shortened(event, checkpoints), pair);
      }
    }
  });
}

/** Returns the parts of a piece of a message: the piece, and where it comes from. */
function pairOf({ mode, data }: WireEvent): Pair | undefined {
  if (mode !== "messages" || !Array.isArray(data) || data.length !== 2) return undefined;
  return { first: wireJson(data[0]), second: wireJson(data[1]) };
}

/** Tells whether a run that another process had begun had stopped where its client wants it to. */
async function isAtBreakpoint(state: StateSnapshot, { order, graph }: Execution): Promise<boolean> {
  const { interruptBefore, interruptAfter } = order.given;
  if (runIdOf({ ...state.metadata }) !== order.id) return false;
  if (state.next.some((node) => isNamed(node, interruptBefore))) return true;
  if (interruptAfter === undefined || state.parentConfig === undefined) return false;
  const { next: done } = await graph.getState(state.parentConfig);
  return state.metadata?.source === "loop" && done.some((node) => isNamed(node, interruptAfter));
}

function isNamed(node: string, names: "*" | readonly string[] = []): boolean {
  return node !== INPUT_CHANNEL && (names === "*" || names.includes(node));
}

type Held = Readonly<Record<string, LeaseHolder>>;

/** Holds the thread for a graph that does not take it by itself. */
async function withLease(
  { order, graph, checkpointer, signal }: Execution,
  action: (held: Held, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  if (isGuarded(graph)) return action({}, signal);
  const lease = await checkpointer.guard.take(order.thread, waitingStrategy(order), signal);
  const holder = new LeaseHolder();
  holder.lease = lease;
  try {
    await action({ [RUN_KEY]: holder }, AbortSignal.any([signal, lease.signal]));
    await lease.end();
  } finally {
    await lease.release();
  }
}

/** A run that comes after all others of the server may still find its thread in use by the command line. */
function waitingStrategy({ strategy }: RunOrder): "enqueue" | "interrupt" {
  return strategy === "interrupt" || strategy === "rollback" ? "interrupt" : "enqueue";
}

const configSchema = z.object({
  configurable: z.record(z.string(), z.unknown()).optional(),
  tags: z.array(z.string()).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  recursion_limit: z.number().optional(),
});

function optionsOf({ order, held: { attempt }, control, checkpointer, graph: served }: Execution) {
  const { given, id, thread, graph } = order;
  const { configurable, tags, metadata, recursion_limit } = configSchema.parse(given.config ?? {});
  return {
    streamMode: libraryModes(given.streamMode),
    subgraphs: true,
    control,
    store: served.store ?? new ItemStore(checkpointer.database, order.owner),
    metadata: { ...metadata, run_attempt: attempt },
    configurable: {
      ...configurable,
      thread_id: thread,
      run_id: id,
      graph_id: graph,
      multitask_strategy: waitingStrategy(order),
      // LangGraph's streams of checkpoints write configs as JSON.
      ...(order.by !== undefined && { [DECIDER_KEY]: { by: order.by, at: order.createdAt, toJSON: () => undefined } }),
    },
    // An option that is given as undefined would take the place of the graph's own.
    ...(tags && { tags }),
    // A client may lower the limit of a graph, but not raise it.
    ...(recursion_limit !== undefined && {
      recursionLimit: Math.min(recursion_limit, served.config?.recursionLimit ?? recursion_limit),
    }),
    ...(given.context && { context: given.context }),
    ...(given.interruptBefore && { interruptBefore: given.interruptBefore }),
    ...(given.interruptAfter && { interruptAfter: given.interruptAfter }),
    // What a run did is stored before its readers see it, unless the client or the graph wants something else.
    durability: given.durability ?? served.config?.durability ?? "sync",
  };
}

/** What a configurable may say of the place where a run begins. One that has begun goes on where its thread stands. */
const nowhere = {
  checkpoint_id: undefined,
  checkpoint_ns: undefined,
  checkpoint_map: undefined,
  [REWIND_KEY]: undefined,
};

const checkpointSchema = z.object({ checkpoint_id: z.string().nullish(), checkpoint_ns: z.string().nullish() });

function checkpointOf({ checkpoint }: RunInput): Record<string, string> {
  const { checkpoint_id, checkpoint_ns } = checkpointSchema.parse(checkpoint ?? {});
  return { ...(checkpoint_id && { checkpoint_id }), ...(checkpoint_ns && { checkpoint_ns }) };
}

const sendSchema = z.union([
  z.string(),
  z.object({ node: z.string(), input: z.unknown().optional() }).transform(({ node, input }) => new Send(node, input)),
]);
/** A command, as clients write it. Becomes LangGraph's. */
export const commandSchema = z
  .object({
    goto: z.union([z.array(sendSchema), sendSchema.transform((one) => [one])]).nullish(),
    update: z.unknown().optional(),
    resume: z.unknown().optional(),
  })
  .transform(
    ({ goto, update, resume }) =>
      new Command({
        ...(goto && { goto }),
        ...(resume !== undefined && { resume }),
        ...(isUpdate(update) && { update }),
      }),
  );

function inputOf({ input, command }: RunInput): unknown {
  return isRecord(command) ? commandSchema.parse(command) : (input ?? null);
}

function isUpdate(update: unknown): update is Record<string, unknown> | [string, unknown][] {
  return isRecord(update) || Array.isArray(update);
}
