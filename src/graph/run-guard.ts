import type { RunnableConfig } from "@langchain/core/runnables";
import { Command, isCommand, type StateSnapshot } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { NewerDatabaseError, ThreadsDatabaseError } from "../base/errors.js";
import { checkedOption, oneOf } from "../base/options.js";
import type { Plugin } from "../core/parts/plugin.js";
import {
  DECIDED_BY,
  DECIDER_KEY,
  keeperOf,
  type Lease,
  leaseOf,
  type MultitaskStrategy,
  multitaskStrategies,
} from "../core/run/keeper.js";
import { newRun, type Run, runFor, withRun } from "../core/run/run.js";
import * as seams from "../core/seams/seams.js";
import { noCounts } from "../core/state/usage.js";
import { resumesWithoutId } from "../langgraph/answers.js";
import type { Guard, InnerGraph, ToolFields } from "../langgraph/guarded-graph.js";
import { isNested } from "../langgraph/node-path.js";
import { inOwnMemory } from "../langgraph/own-memory.js";
import { askedIn } from "../langgraph/pending-writes.js";
import type { RunOptions } from "../langgraph/run-stream.js";
import { isAnswerWithoutId } from "./check-answer.js";
import { explainNothingToGoOn } from "./check-input.js";
import { type ContextTakers, readContext } from "./read-context.js";
import { rewound } from "./rewound-turn.js";
import { type AgentOfRun, type Configurable, startingPoint } from "./starting-point.js";
import { noteStopped, stoppedRun, valuesLeft } from "./stopped-run.js";
import { checkThreadId } from "./thread-id.js";
import { askedAgain } from "./undecided.js";

type Values = ReturnType<InnerGraph["run"]>;
type Options = RunOptions & { readonly configurable: Configurable };

/** What a guarded graph needs to know. */
export interface ThreadOptions extends ContextTakers, AgentOfRun {
  readonly multitaskStrategy: MultitaskStrategy;
  readonly plugins: readonly Plugin[];
  /** Returns the checkpointer for this graph. */
  readonly bind: (checkpointer: BaseCheckpointSaver) => BaseCheckpointSaver;
}

/**
 * The guard of a compiled graph. It lets only one run at a time use a thread, in all processes. This works for threads in
 * a Glassloop database. The `multitaskStrategy` decides about a second run.
 */
export class RunGuard implements Guard {
  constructor(
    private readonly inner: InnerGraph,
    private readonly options: ThreadOptions,
  ) {}

  /** Without a schema the tool takes a question. The name of the field is one that all providers accept. */
  toolFields(fields: ToolFields = {}): ToolFields {
    if (fields.schema) return fields;
    const name = this.inner.graph.getName();
    const description = `Asks the agent ${name}, and returns its answer.`;
    return { name: name.replaceAll(/[^\w-]+/g, "_"), description, ...fields, schema: questionSchema };
  }

  bind(checkpointer: BaseCheckpointSaver): BaseCheckpointSaver {
    return this.options.bind(checkpointer);
  }

  /** Runs the graph while it holds the thread. */
  async *run(input: unknown, given: RunOptions): Values {
    const configurable = { ...this.#configurable(given), ...decider(input) };
    const said = given.context ?? this.inner.graph.config?.context;
    // In an outer graph this setting is for the outer graph.
    const context = readContext(this.options, said, isNested(configurable) ? {} : configurable);
    const options = { ...given, configurable, ...(context !== undefined && { context }) };
    const run = runFor(options);
    if (options.signal) run.stopOn(options.signal);
    const answering = isAnswerWithoutId(input) ? run : undefined;
    const resumes = input === null || input === undefined;
    const lease = await this.#takeThread(configurable, run.signal, answering).catch((error: unknown) => {
      throw explainResuming(error, resumes);
    });
    if (lease) run.lease = lease;
    run.begin();
    const signals = [run.signal, lease?.signal].filter((signal) => signal !== undefined);
    // A signal costs time in every step, so there is none if nobody can stop the run.
    const signal = signals.length === 0 ? undefined : AbortSignal.any(signals);
    const values = this.#runFromStart(run, input, withRun({ ...options, signal }, run));
    if (lease === undefined) {
      yield* await values;
      return yield* this.#askAgain(run, configurable, options);
    }
    try {
      yield* await values;
      yield* this.#askAgain(run, configurable, { ...options, signal });
      await lease.end();
    } catch (thrown) {
      const error = lease.signal.aborted ? lease.signal.reason : thrown;
      // What is still on its way to the database may be what the run was given.
      await lease.release();
      throw explainResuming(error, resumes || lease.hasStored);
    } finally {
      await lease.release();
    }
  }

  /**
   * Begins a run at its starting point. Returns the values themselves, because each further generator around them costs time for
   * each value.
   */
  async #runFromStart(run: Run, given: unknown, options: Options): Promise<Values> {
    const from = await rewound(this.inner, options.configurable);
    const configurable = await startingPoint(this.inner, this.options, given, from);
    const isTaken = isCommand(given) && run.answer !== undefined;
    const input = isTaken ? new Command({ ...given, resume: run.answer }) : given;
    leaseOf({ configurable })?.begin();
    run.resumesWithoutId = resumesWithoutId(input, configurable, isNested(configurable));
    const { plugins } = this.options;
    const start = { name: this.inner.graph.getName(), thread: configurable.thread_id, turn: run.turn };
    return seams.wrapRun(plugins, start, async () => {
      run.wrapWork = seams.wrapWork(plugins);
      return this.#runExplained(run, input, { ...options, configurable });
    });
  }

  /** Asks again about the calls that were kept for a person, when the turn of a run has ended. */
  async *#askAgain(run: Run, { checkpoint_id, ...thread }: Configurable, options: Options): Values {
    const { checkpointer } = this.inner.graph;
    if (!run.keepsCalls || typeof checkpointer !== "object") return;
    const { configurable } = withRun({ configurable: thread }, run);
    const values = askedAgain(await checkpointer.getTuple({ configurable }));
    if (values === undefined) return;
    await this.inner.update({ configurable }, [{ updates: [{ asNode: "parse", values }] }]);
    yield* this.#runExplained(run, null, { ...options, configurable });
  }

  /** Runs the graph, and explains the errors that end the run. */
  async *#runExplained(run: Run, input: unknown, options: Options): Values {
    const { signal, configurable } = options;
    const runWith = (config: Options) => this.inner.run(input, config);
    try {
      yield* this.inner.graph.checkpointer === true ? inOwnMemory(options, runWith) : runWith(options);
    } catch (error) {
      const isCancelled = run.howStopped(signal) === "cancelled";
      await this.#noteStopped(run, configurable, isCancelled);
      if (isCancelled) throw signal?.reason;
      throw explainNothingToGoOn(error, input, this.inner.graph.checkpointer ? configurable.thread_id : null);
    }
  }

  /** Waits for the node at work, and notes beside the checkpoint what the run leaves. The caller gets the error of the run in any case. */
  async #noteStopped(run: Run, configurable: Configurable, isCancelled: boolean): Promise<void> {
    const { checkpointer } = this.inner.graph;
    if (isNested(configurable)) return;
    await run.untilStopped();
    if (typeof checkpointer !== "object" || configurable.thread_id === undefined) return;
    const { answered, answerId: id, left, workedMs } = run.turn;
    if (!isCancelled && left.spent === noCounts && left.asked.length === 0) return;
    const stopped = { isCancelled, shown: answered.trim(), id, ...left, workedMs };
    await noteStopped(checkpointer, configurable, stopped).catch(() => undefined);
  }

  /** Shows what a run left that stopped at the checkpoint. */
  async snapshot(snapshot: StateSnapshot): Promise<StateSnapshot> {
    const { checkpointer } = this.inner.graph;
    if (snapshot.next.length === 0 || typeof checkpointer !== "object") return snapshot;
    const stopped = stoppedRun((await checkpointer.getTuple(snapshot.config))?.pendingWrites);
    return stopped ? { ...snapshot, values: valuesLeft(snapshot.values, stopped, this.options.name) } : snapshot;
  }

  /** Updates the state while it holds the thread. */
  async update(...[config, supersteps]: Parameters<InnerGraph["update"]>): ReturnType<InnerGraph["update"]> {
    const lease = await this.#takeThread(this.#configurable(config), config.signal);
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

  /** Returns the configurable of a caller, with that of the graph (`withConfig`). */
  #configurable({ configurable }: RunnableConfig): Configurable {
    return { ...this.inner.graph.config?.configurable, ...configurable };
  }

  /** @param answering The run, if it brings an answer without an id. While it waits, another question may come up. */
  async #takeThread(configurable: Configurable, signal?: AbortSignal, answering?: Run): Promise<Lease | undefined> {
    const keeper = keeperOf(this.inner.graph.checkpointer);
    if (keeper === undefined || configurable.thread_id === undefined || isNested(configurable)) return undefined;
    const given = configurable.multitask_strategy ?? this.options.multitaskStrategy;
    const strategy = checkedOption("multitaskStrategy", strategySchema, given);
    if (answering && strategy !== "reject") {
      answering.askedBefore = askedIn((await keeper.readStart({ configurable }))?.pendingWrites ?? []);
    }
    return keeper.take(checkThreadId(configurable.thread_id), strategy, signal);
  }
}

/** Returns the part of a configurable that says who decided, if the program named somebody. */
function decider(input: unknown): Configurable {
  const by: unknown = isCommand(input) ? Reflect.get(input, DECIDED_BY) : undefined;
  return by === undefined ? {} : { [DECIDER_KEY]: { by, toJSON: () => undefined } };
}

const strategySchema = oneOf(multitaskStrategies);

const questionSchema = z
  .object({ question: z.string().describe("The question or the task, with all that is needed to understand it.") })
  .transform(({ question }) => ({ messages: question }));

/** Returns the error of a run. An error of its database then says whether the run can be resumed. */
function explainResuming(error: unknown, canResume: boolean): unknown {
  if (!(error instanceof ThreadsDatabaseError) || error instanceof NewerDatabaseError) return error;
  const { database, reason, cause } = error;
  return new ThreadsDatabaseError(database, `${reason} ${canResume ? resume : askAgain}`, { cause, canResume });
}

const resume = "The run can be resumed: agent.invoke(null, config) goes on from the last step that was saved.";
const askAgain = "The run cannot be resumed: its question or answer may not have been saved. Send that again.";
