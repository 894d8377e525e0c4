import { isCommand, type StateSnapshot } from "@langchain/langgraph";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { ForeignTurnError, GlassloopError, ThreadsDatabaseError } from "../../base/errors.js";
import { checkedOption, oneOf } from "../../base/options.js";
import { resumesWithoutId } from "../../langgraph/answers.js";
import type { Guard, InnerGraph } from "../../langgraph/guarded-graph.js";
import { INPUT_CHANNEL } from "../../langgraph/names.js";
import { isNested } from "../../langgraph/node-path.js";
import { nextNodes } from "../../langgraph/pending-nodes.js";
import { keeperOf, type Lease, leaseOf, type MultitaskStrategy, multitaskStrategies } from "../run/keeper.js";
import { newRun, type Run, runFor, runOf, withRun } from "../run/run.js";
import { checkThreadId } from "../run/thread-id.js";
import type { Tracing } from "../run/tracing.js";
import { checkQuestionIsLast, explainNothingToGoOn } from "../state/turn-input.js";
import { noCounts } from "../state/usage.js";
import { runToEnd, withOnlyLast, withSignalInside } from "./run-to-end.js";
import { beforeReply, beginningOfTurn, isNewest } from "./starting-point.js";
import { noteStopped, stoppedRun, valuesLeft } from "./stopped-run.js";
import { type Repair, readUnfinished } from "./unfinished-thread.js";

/** What a guarded graph needs to know. */
export interface ThreadOptions {
  readonly multitaskStrategy: MultitaskStrategy;
  readonly repair: Repair;
  readonly tracing: Tracing;
  /** Checks what a run is given with `context`. @throws InvalidOptionError when it is wrong. */
  readonly readContext: (context: Record<string, unknown> | undefined) => Record<string, unknown> | undefined;
}

/**
 * The guard of a compiled graph. It lets only one run at a time use a thread, in all processes. This works for threads in
 * a Glassloop database. The `multitaskStrategy` decides about a second run.
 */
export class ThreadGuard implements Guard {
  /**
   * LangGraph tells the reader of a stream at once when its signal aborts. Here the reader learns it when the run has
   * ended, and its thread is free.
   */
  readonly streamOptions = withSignalInside;
  readonly invokeOptions = withOnlyLast;

  constructor(
    private readonly inner: InnerGraph,
    private readonly options: ThreadOptions,
  ) {}

  /** Runs the graph while it holds the thread. */
  async *run(...[input, options = {}]: Parameters<InnerGraph["run"]>): ReturnType<InnerGraph["run"]> {
    const context = this.options.readContext(options.context);
    const run = runFor(options);
    run.tracing = this.options.tracing;
    const lease = await this.#takeThread(options.configurable, run.signal ?? options.signal);
    if (lease) run.lease = lease;
    const given = [options.signal, run.signal, lease?.signal].filter((signal) => signal !== undefined);
    // A signal costs time in every step, so there is none if nobody can stop the run.
    const signal = given.length === 0 ? undefined : AbortSignal.any(given);
    const stoppable = { ...options, ...(context !== undefined && { context }), ...(signal && { signal }) };
    const stream = this.#runFromStart(run, input, withRun(stoppable, run));
    if (lease === undefined) return yield* await stream;
    try {
      yield* runToEnd(stream, () => lease.end(), lease.signal, run.onlyLast);
    } catch (error) {
      throw explainResuming(error, input === null || input === undefined || lease.hasStored);
    }
  }

  /** Begins a run where it has to start. Returns its stream: each further generator around one costs time for each value. */
  async #runFromStart(
    run: Run,
    ...[input, options]: Parameters<InnerGraph["run"]>
  ): Promise<ReturnType<InnerGraph["run"]>> {
    const configurable = (await this.#findStart(input, options?.configurable)) ?? options?.configurable ?? {};
    const { thread_id } = { ...this.inner.graph.config?.configurable, ...configurable };
    leaseOf({ configurable: { ...configurable, thread_id } })?.begin();
    run.resumesWithoutId = resumesWithoutId(input, configurable, isNested(configurable));
    return run.tracing.run(
      { name: this.inner.graph.getName(), thread: thread_id },
      this.#runExplained(input, { ...options, configurable }),
      () => run.turn.outcome,
    );
  }

  /** Runs the graph, and explains the errors that end the run. */
  async *#runExplained(...[input, options]: Parameters<InnerGraph["run"]>): ReturnType<InnerGraph["run"]> {
    try {
      yield* this.inner.run(input, options);
    } catch (error) {
      const { thread_id } = { ...this.inner.graph.config?.configurable, ...options?.configurable };
      await this.#noteStopped({ ...options?.configurable, thread_id }, isCancelled(options?.signal));
      if (isCancelled(options?.signal)) throw options?.signal?.reason;
      throw explainNothingToGoOn(error, input, this.inner.graph.checkpointer ? thread_id : null);
    }
  }

  /**
   * Finds the checkpoint from which a run starts. A new question at the end of an unfinished thread first repairs the
   * thread. A run from an older checkpoint is a fork of the past, which needs no repair.
   *
   * @returns The configurable to start with, or undefined if the run starts where its config says.
   * @throws InvalidInputError when a new input does not end with its question, or a {@link ForeignTurnError}.
   */
  async #findStart(
    input: unknown,
    given: Readonly<Record<string, unknown>> | undefined,
  ): Promise<Record<string, unknown> | undefined> {
    const configurable = { ...this.inner.graph.config?.configurable, ...given };
    const { checkpointer } = this.inner.graph;
    if (isCommand(input) || isNested(configurable)) return undefined;
    const isNew = input !== null && input !== undefined;
    if (isNew) checkQuestionIsLast(input);
    if (typeof checkpointer !== "object" || typeof configurable.thread_id !== "string") return undefined;
    const isExplicit = Boolean(configurable.checkpoint_id);
    const keeper = keeperOf(checkpointer);
    const tuple = await (keeper ? keeper.readStart({ configurable }) : checkpointer.getTuple({ configurable }));
    if (tuple === undefined) return undefined;
    const foreign = isNew
      ? undefined
      : nextNodes(tuple).find((name) => name !== INPUT_CHANNEL && !(name in this.inner.graph.nodes));
    if (foreign !== undefined) throw new ForeignTurnError(configurable.thread_id, foreign);
    if (!isNew && !isExplicit) {
      const stopped = stoppedRun(tuple.pendingWrites);
      if (stopped === undefined) return undefined;
      runOf({ configurable }).resumedUsage = stopped.spent;
      return configurable;
    }
    if (isNew && (!isExplicit || (await isNewest(checkpointer, tuple)))) return this.#repairThread(tuple, configurable);
    const start = await (isNew ? beginningOfTurn : beforeReply)(checkpointer, tuple);
    return start === tuple ? undefined : { ...configurable, checkpoint_id: start.checkpoint.id };
  }

  /** Waits for the node at work, and notes beside the checkpoint what the run leaves. The caller gets the error of the run in any case. */
  async #noteStopped(configurable: Readonly<Record<string, unknown>>, isCancelled: boolean): Promise<void> {
    const { checkpointer } = this.inner.graph;
    if (isNested(configurable)) return;
    const run = runOf({ configurable });
    await run.untilStopped();
    if (typeof checkpointer !== "object" || configurable.thread_id === undefined) return;
    const { shown, failedUsage: spent } = run.turn;
    if (!isCancelled && spent === noCounts) return;
    const stopped = { isCancelled, shown: shown.trim(), spent };
    await noteStopped(checkpointer, configurable, stopped).catch(() => undefined);
  }

  /** Repairs an unfinished thread. The repair is a checkpoint of its own. */
  async #repairThread(
    tuple: CheckpointTuple,
    configurable: Record<string, unknown>,
  ): Promise<Record<string, unknown> | undefined> {
    const repair = this.options.repair(readUnfinished(tuple));
    if (repair === undefined) return undefined;
    const updated = await this.inner.update({ configurable }, [{ updates: [repair] }]);
    if (!configurable.checkpoint_id) return configurable;
    return { ...configurable, checkpoint_id: updated.configurable?.checkpoint_id };
  }

  /** Shows what a run left that stopped at the checkpoint. */
  snapshot(snapshot: StateSnapshot, { pendingWrites }: CheckpointTuple): StateSnapshot {
    const stopped = stoppedRun(pendingWrites);
    return stopped ? { ...snapshot, values: valuesLeft(snapshot.values, stopped) } : snapshot;
  }

  /** Updates the state while it holds the thread. */
  async update(...[config, supersteps]: Parameters<InnerGraph["update"]>): ReturnType<InnerGraph["update"]> {
    const lease = await this.#takeThread(config.configurable, config.signal);
    if (lease === undefined) return this.inner.update(config, supersteps);
    const run = newRun(config);
    run.lease = lease;
    try {
      const updated = await this.inner.update(withRun(config, run), supersteps);
      await lease.end();
      return updated;
    } finally {
      await lease.release();
    }
  }

  async #takeThread(
    given: Readonly<Record<string, unknown>> | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Lease | undefined> {
    const configurable = { ...this.inner.graph.config?.configurable, ...given };
    const keeper = keeperOf(this.inner.graph.checkpointer);
    if (keeper === undefined) return undefined;
    if (configurable.thread_id === undefined || isNested(configurable)) return undefined;
    const strategy = configurable.multitask_strategy ?? this.options.multitaskStrategy;
    return keeper.take(
      checkThreadId(configurable.thread_id),
      checkedOption("multitaskStrategy", strategySchema, strategy),
      signal,
    );
  }
}

/** Tells whether the caller stopped a run. Another run that stops it gives an error of Glassloop as the reason. */
function isCancelled(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true && !(signal.reason instanceof GlassloopError);
}

const strategySchema = oneOf(multitaskStrategies);

/** Returns the error of a run. An error of its database then says whether the run can be resumed. */
function explainResuming(error: unknown, canResume: boolean): unknown {
  if (!(error instanceof ThreadsDatabaseError)) return error;
  const { database, reason, cause } = error;
  return new ThreadsDatabaseError(database, `${reason} ${canResume ? resume : askAgain}`, { cause, canResume });
}

const resume = "The run can be resumed: agent.invoke(null, config) goes on from the last step that was saved.";
const askAgain = "The run cannot be resumed: its question may not have been saved. Ask it again.";
