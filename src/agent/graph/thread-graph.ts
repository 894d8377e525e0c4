import { CompiledStateGraph, isCommand, type StateDefinitionInit } from "@langchain/langgraph";
import { z } from "zod";
import { InvalidOptionError } from "../../base/errors.js";
import { READ_KEY } from "../../base/langgraph-names.js";
import { ThreadCheckpointer } from "../../threads/checkpoints/checkpointer.js";
import { pendingNodes } from "../../threads/checkpoints/pending-nodes.js";
import { type MultitaskStrategy, multitaskStrategies } from "../../threads/guard/guard.js";
import type { Hold } from "../../threads/guard/hold.js";
import { checkThreadId } from "../../threads/thread-id.js";
import { explainNothingToGoOn } from "../../turn/turn-input.js";
import { runToEnd } from "./run-to-end.js";

type Fields<
  S,
  U,
  N extends string,
  I extends StateDefinitionInit,
  O extends StateDefinitionInit,
  C extends StateDefinitionInit,
  R,
  T,
  W,
> = ConstructorParameters<typeof CompiledStateGraph<S, U, N, I, O, C, R, T, W>>[0] & {
  multitaskStrategy: MultitaskStrategy;
  repair: Repair;
};

/**
 * What a thread needs before it is asked something new: an update of its state, as if a node had written it; undefined
 * when it needs nothing.
 *
 * @param next The nodes that would run next if the thread went on.
 */
export type Repair = (
  values: Readonly<Record<string, unknown>>,
  next: readonly string[],
) => { readonly values: Record<string, unknown>; readonly asNode: string } | undefined;

/**
 * A compiled graph that lets one run at a time use a thread, where a Glassloop database keeps the thread: in this process
 * and in all others. What a second one does meanwhile is its `multitaskStrategy`.
 */
class ThreadGraph<
  S,
  U,
  N extends string,
  I extends StateDefinitionInit,
  O extends StateDefinitionInit,
  C extends StateDefinitionInit,
  R,
  T,
  W,
> extends CompiledStateGraph<S, U, N, I, O, C, R, T, W> {
  readonly multitaskStrategy: MultitaskStrategy;
  readonly repair: Repair;

  /** Also called by LangGraph's `withConfig`, with the properties of the graph that it copies. */
  constructor({ multitaskStrategy, repair, ...graph }: Fields<S, U, N, I, O, C, R, T, W>) {
    super(graph);
    this.multitaskStrategy = multitaskStrategy;
    this.repair = repair;
  }

  /** `invoke`, `stream` and `streamEvents` all come through here. */
  override async *_streamIterator(
    ...[input, options]: Parameters<CompiledStateGraph<S, U, N, I, O, C, R, T, W>["_streamIterator"]>
  ): ReturnType<CompiledStateGraph<S, U, N, I, O, C, R, T, W>["_streamIterator"]> {
    const hold = await this.#holdThread(options?.configurable, options?.signal);
    if (hold === undefined) return yield* this.#runRepaired(input, options);
    const signal = AbortSignal.any(options?.signal ? [options.signal, hold.signal] : [hold.signal]);
    yield* runToEnd(this.#runRepaired(input, { ...options, signal }), () => hold.end(), hold.signal);
  }

  /** A thread that was left in half is repaired before it is asked something new; the repair is a checkpoint of its own. */
  async *#runRepaired(
    ...[input, options]: Parameters<CompiledStateGraph<S, U, N, I, O, C, R, T, W>["_streamIterator"]>
  ): ReturnType<CompiledStateGraph<S, U, N, I, O, C, R, T, W>["_streamIterator"]> {
    const isNew = input !== null && input !== undefined && !isCommand(input);
    const repaired = isNew ? await this.#repairThread(options?.configurable) : undefined;
    try {
      yield* super._streamIterator(input, repaired === undefined ? options : { ...options, configurable: repaired });
    } catch (error) {
      const { thread_id } = { ...this.config?.configurable, ...options?.configurable };
      throw explainNothingToGoOn(error, input, this.checkpointer ? thread_id : null);
    }
  }

  /** Returns where to go on from, when there was something to repair. */
  async #repairThread(
    given: Readonly<Record<string, unknown>> | undefined,
  ): Promise<Record<string, unknown> | undefined> {
    const configurable = { ...this.config?.configurable, ...given };
    const { checkpointer } = this;
    if (typeof checkpointer !== "object" || isNested(configurable)) return undefined;
    if (typeof configurable.thread_id !== "string") return undefined;
    const tuple = await checkpointer.getTuple({ configurable });
    if (tuple === undefined) return undefined;
    const { channel_values } = tuple.checkpoint;
    const next = pendingNodes(tuple.checkpoint, (channel) => channel in channel_values);
    const repair = this.repair(channel_values, next);
    if (repair === undefined) return undefined;
    const updated = await super.bulkUpdateState({ configurable }, [{ updates: [repair] }]);
    const isNewest = configurable.checkpoint_id === undefined;
    return isNewest ? configurable : { ...configurable, checkpoint_id: updated.configurable?.checkpoint_id };
  }

  /** `updateState` comes through here. */
  override async bulkUpdateState(
    ...[config, supersteps]: Parameters<CompiledStateGraph<S, U, N, I, O, C, R, T, W>["bulkUpdateState"]>
  ): ReturnType<CompiledStateGraph<S, U, N, I, O, C, R, T, W>["bulkUpdateState"]> {
    const hold = await this.#holdThread(config.configurable, config.signal);
    try {
      return await super.bulkUpdateState(config, supersteps);
    } finally {
      await hold?.release();
    }
  }

  async #holdThread(
    given: Readonly<Record<string, unknown>> | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Hold | undefined> {
    const configurable = { ...this.config?.configurable, ...given };
    if (!(this.checkpointer instanceof ThreadCheckpointer)) return undefined;
    if (configurable.thread_id === undefined || isNested(configurable)) return undefined;
    const strategy = readStrategy(configurable.multitask_strategy ?? this.multitaskStrategy);
    return this.checkpointer.guard.take(checkThreadId(configurable.thread_id), strategy, signal);
  }
}

/** Whether a graph runs inside a node of another one, whose run keeps the thread. */
function isNested(configurable: Readonly<Record<string, unknown>>): boolean {
  return configurable[READ_KEY] !== undefined;
}

const strategySchema = z.enum(multitaskStrategies);

/** @throws InvalidOptionError when it is none of the strategies. */
export function readStrategy(strategy: unknown): MultitaskStrategy {
  const { data } = strategySchema.safeParse(strategy);
  if (data) return data;
  const known = multitaskStrategies.map((name) => `"${name}"`).join(", ");
  throw new InvalidOptionError(
    "multitaskStrategy",
    `${JSON.stringify(strategy)} is not possible; give one of ${known}.`,
  );
}

/** Makes a compiled graph keep its threads from a second run, and repair those that were left in half. */
export function guardThreads<
  S,
  U,
  N extends string,
  I extends StateDefinitionInit,
  O extends StateDefinitionInit,
  C extends StateDefinitionInit,
  R,
  T,
  W,
>(
  graph: CompiledStateGraph<S, U, N, I, O, C, R, T, W>,
  multitaskStrategy: MultitaskStrategy,
  repair: Repair,
): CompiledStateGraph<S, U, N, I, O, C, R, T, W> {
  return new ThreadGraph<S, U, N, I, O, C, R, T, W>({ ...graph, multitaskStrategy, repair });
}
