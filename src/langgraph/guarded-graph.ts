import type { RunnableConfig, RunnableToolLike } from "@langchain/core/runnables";
import type { InteropZodType } from "@langchain/core/utils/types";
import {
  CompiledStateGraph,
  type ExtractStateType,
  type StateDefinitionInit as Shape,
  type StateSnapshot,
} from "@langchain/langgraph";
import type { BaseCheckpointSaver, CheckpointTuple } from "@langchain/langgraph-checkpoint";

type AnyGraph = CompiledStateGraph<unknown, unknown>;
type RunGraph = AnyGraph["_streamIterator"];
type Update = AnyGraph["bulkUpdateState"];

/** What `asTool` is given. */
export interface ToolFields {
  readonly name?: string;
  readonly description?: string;
  readonly schema?: InteropZodType;
}

type Tool<O> = RunnableToolLike<InteropZodType, ExtractStateType<O>>;

/** A compiled graph, and what LangGraph itself does with it. */
export interface InnerGraph {
  /** The graph. LangGraph's server puts another checkpointer in its place after it was made. */
  readonly graph: Pick<AnyGraph, "checkpointer" | "config" | "getName"> & { readonly nodes: object };
  readonly run: RunGraph;
  readonly update: Update;
}

/** What a {@link GuardedGraph} does around LangGraph's own doings. */
export interface Guard {
  /** Changes the options of a caller of `stream`, before LangGraph reads them. */
  streamOptions(options: RunnableConfig | undefined): RunnableConfig;
  /** Changes the options of a caller of `invoke`, before LangGraph reads them. */
  invokeOptions(options: RunnableConfig | undefined): RunnableConfig;
  /** Fills in what a caller of `asTool` left out. */
  toolFields(fields: ToolFields | undefined): ToolFields;
  /** Runs the graph. `invoke`, `stream`, `streamEvents` and `batch` all come through here. */
  readonly run: RunGraph;
  /** Updates the state. `updateState` comes through here, too. */
  readonly update: Update;
  /** Returns what a graph with this identity makes of a checkpointer that it is given after it was made. */
  bind(checkpointer: BaseCheckpointSaver): BaseCheckpointSaver;
  /** Changes what is read of a state. `saved` has the pending writes beside its checkpoint. */
  snapshot(snapshot: StateSnapshot, saved: CheckpointTuple): StateSnapshot;
}

interface Guarded {
  readonly makeGuard: (inner: InnerGraph) => Guard;
}

/** The name of the method that gives a guarded graph its checkpointer. Two copies of this package have the same one. */
const BIND = Symbol.for("glassloop.bind");

/**
 * A compiled graph with a {@link Guard}. Works with @langchain/langgraph 1.5.3 to 1.7.3, and relies on this:
 *
 * - All ways to run a graph call `_streamIterator`, which ends after the last write. `stream`, the public method, ends at the
 *   moment of an abort.
 * - `withConfig` makes a copy with `new this.constructor({ ...this })`, so what the constructor takes must be properties.
 * - `stream` and `invoke` call what they stand on. They have too many overloads for an `override` with types.
 * - All readings of a state come through `_prepareStateSnapshot`, with the pending writes.
 */
class GuardedGraph<
  S,
  U,
  N extends string,
  I extends Shape,
  O extends Shape,
  C extends Shape,
  R,
  T,
  W,
> extends CompiledStateGraph<S, U, N, I, O, C, R, T, W> {
  readonly makeGuard: Guarded["makeGuard"];
  private readonly guard: Guard;

  constructor({
    makeGuard,
    ...graph
  }: ConstructorParameters<typeof CompiledStateGraph<S, U, N, I, O, C, R, T, W>>[0] & Guarded) {
    super(graph);
    this.makeGuard = makeGuard;
    this.guard = makeGuard({
      graph: this,
      run: (input, options) => super._streamIterator(input, options),
      update: (config, supersteps) => super.bulkUpdateState(config, supersteps),
    });
    const { stream, invoke } = this;
    Reflect.set(this, "stream", (input: unknown, options?: RunnableConfig) =>
      Reflect.apply(stream, this, [input, this.guard.streamOptions(options)]),
    );
    Reflect.set(this, "invoke", (input: unknown, options?: RunnableConfig) =>
      Reflect.apply(invoke, this, [input, this.guard.invokeOptions(options)]),
    );
  }

  /** Makes this graph keep its threads with another checkpointer. */
  [BIND](checkpointer: BaseCheckpointSaver): void {
    this.checkpointer = this.guard.bind(checkpointer);
  }

  override asTool(fields?: ToolFields): Tool<O> {
    return Reflect.apply(super.asTool, this, [this.guard.toolFields(fields)]);
  }

  override _streamIterator(...given: Parameters<RunGraph>): ReturnType<RunGraph> {
    return this.guard.run(...given);
  }

  override bulkUpdateState(...given: Parameters<Update>): ReturnType<Update> {
    return this.guard.update(...given);
  }

  override async _prepareStateSnapshot(
    ...given: Parameters<AnyGraph["_prepareStateSnapshot"]>
  ): Promise<StateSnapshot> {
    const snapshot = await super._prepareStateSnapshot(...given);
    const [{ saved }] = given;
    return saved === undefined ? snapshot : this.guard.snapshot(snapshot, saved);
  }
}

/** Returns a compiled graph with a guard. Each copy that `withConfig` makes of it gets a guard of its own. */
export function guarded<S, U, N extends string, I extends Shape, O extends Shape, C extends Shape, R, T, W>(
  graph: CompiledStateGraph<S, U, N, I, O, C, R, T, W>,
  makeGuard: Guarded["makeGuard"],
): CompiledStateGraph<S, U, N, I, O, C, R, T, W> & { asTool(fields?: ToolFields): Tool<O> } {
  return new GuardedGraph<S, U, N, I, O, C, R, T, W>({ ...graph, makeGuard });
}

/** The part of a compiled graph that gives it a checkpointer. */
interface Bindable<Graph> {
  checkpointer?: BaseCheckpointSaver | boolean;
  withConfig(config: RunnableConfig): Graph;
}

/** Returns a copy of a compiled graph that keeps its threads with a checkpointer. The graph may have no guard. */
export function withCheckpointer<Graph extends Bindable<Graph>>(
  graph: Graph,
  checkpointer: BaseCheckpointSaver,
): Graph {
  const copy = graph.withConfig({});
  const bind: unknown = Reflect.get(copy, BIND);
  if (typeof bind === "function") Reflect.apply(bind, copy, [checkpointer]);
  else copy.checkpointer = checkpointer;
  return copy;
}

/** Tells whether a compiled graph has a guard. */
export function isGuarded(graph: object): boolean {
  return typeof Reflect.get(graph, BIND) === "function";
}
