import { ensureConfig, type Runnable, type RunnableConfig, type RunnableToolLike } from "@langchain/core/runnables";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { concat } from "@langchain/core/utils/stream";
import type { InteropZodType } from "@langchain/core/utils/types";
import {
  type CompiledStateGraph,
  type ExtractStateType,
  getConfig,
  type StateDefinitionInit as Shape,
  type StateSnapshot,
} from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { isNested } from "./node-path.js";
import { type RunGraph, type RunOptions, streamOf } from "./run-stream.js";
import { checkLangGraph } from "./self-check.js";

type AnyGraph = CompiledStateGraph<unknown, unknown>;
type Update = AnyGraph["bulkUpdateState"];

/** What `asTool` is given. */
export interface ToolFields {
  readonly name?: string;
  readonly description?: string;
  readonly schema?: InteropZodType;
}

/** A compiled graph, and what LangGraph itself does with it. */
export interface InnerGraph {
  /** The graph. LangGraph's server puts another checkpointer in its place after it was made. */
  readonly graph: Pick<AnyGraph, "checkpointer" | "config" | "getName"> & { readonly nodes: object };
  readonly run: RunGraph;
  readonly update: Update;
}

/** What stands around LangGraph's own doings. */
export interface Guard {
  /** Fills in what a caller of `asTool` left out. */
  toolFields(fields: ToolFields | undefined): ToolFields;
  /** Runs the graph. All ways to run it come through here. */
  run(...given: Parameters<RunGraph>): ReturnType<RunGraph>;
  /** Updates the state. `updateState` comes through here, too. */
  update(...given: Parameters<Update>): ReturnType<Update>;
  /** Returns what a graph with this identity makes of a checkpointer that it is given after it was made. */
  bind(checkpointer: BaseCheckpointSaver): BaseCheckpointSaver;
  /** Changes what is read of a state. */
  snapshot(snapshot: StateSnapshot): Promise<StateSnapshot>;
}

const graphsOfTools = new WeakMap<object, object>();

/** Returns the guarded graph of which `asTool` made a tool; undefined for any other tool. */
export function graphOfTool(tool: object): object | undefined {
  return graphsOfTools.get(tool);
}

/** The name of the method that gives a guarded graph its checkpointer. Two copies of this package have the same one. */
const BIND = Symbol.for("glassloop.bind");

/**
 * Puts a guard around a compiled graph, and around each copy that `withConfig` makes of it: public methods of the graph are
 * replaced. All ways to run a graph call its `stream`, or its `transform` in a sequence that is streamed.
 */
export function guarded<S, U, N extends string, I extends Shape, O extends Shape, C extends Shape, R, T, W>(
  graph: CompiledStateGraph<S, U, N, I, O, C, R, T, W>,
  makeGuard: (inner: InnerGraph) => Guard,
): CompiledStateGraph<S, U, N, I, O, C, R, T, W> & {
  asTool(fields?: ToolFields): RunnableToolLike<InteropZodType, ExtractStateType<O>>;
} {
  const { invoke, asTool, bulkUpdateState, getState, getStateHistory, withConfig } = graph;
  const guard = makeGuard({
    graph,
    run: unguardedRun(graph),
    update: (...given) => Reflect.apply(bulkUpdateState, graph, given),
  });
  const run: RunGraph = (input, options) => guard.run(input, options);
  const stream = async (input: unknown, options?: RunOptions) => {
    await checkLangGraph();
    return streamOf(run, input, startOptions(graph, options));
  };
  // `invoke` reads what `stream` gives to its end, and needs no stream for it.
  const unstreamed = Object.create(graph, {
    stream: { value: async (...given: Parameters<RunGraph>) => run(...given) },
  });
  return Object.assign(graph, {
    stream,
    invoke: async (input: unknown, options?: RunOptions) => {
      await checkLangGraph();
      const config = startOptions(graph, options);
      const read = () => Reflect.apply(invoke, unstreamed, [input, config]);
      return AsyncLocalStorageProviderSingleton.runWithConfig(config, read, true);
    },
    async *transform(parts: AsyncIterable<never>, options?: RunOptions) {
      let input: unknown;
      for await (const part of parts) input = input === undefined ? part : concat(input, part);
      yield* await stream(input, options);
    },
    withConfig: (config: RunnableConfig) => guarded(Reflect.apply(withConfig, graph, [config]), makeGuard),
    asTool: (fields?: ToolFields) => {
      const tool = Reflect.apply(asTool, graph, [guard.toolFields(fields)]);
      graphsOfTools.set(tool, graph);
      return tool;
    },
    bulkUpdateState: (...given: Parameters<Update>) => guard.update(...given),
    getState: async (...given: unknown[]) => guard.snapshot(await Reflect.apply(getState, graph, given)),
    async *getStateHistory(...given: unknown[]) {
      for await (const snapshot of Reflect.apply(getStateHistory, graph, given)) yield guard.snapshot(snapshot);
    },
    /** Makes this graph keep its threads with another checkpointer. */
    [BIND](checkpointer: BaseCheckpointSaver): void {
      graph.checkpointer = guard.bind(checkpointer);
    },
  });
}

/** Returns LangGraph's own way to run a graph. Its `transform` gives what its `stream` gives, but ends after the last write. */
function unguardedRun(
  graph: Pick<Runnable, "stream" | "transform"> & { withConfig(config: RunnableConfig): unknown },
): RunGraph {
  const { stream, transform, withConfig } = graph;
  return (input, options) => {
    const { encoding, signal, ...others } = options;
    if (encoding === undefined) return Reflect.apply(transform, graph, [valuesOf([input]), options]);
    // Only `stream` encodes. As a setting of the graph the signal stops the run, and not the reading.
    const copy = Reflect.apply(withConfig, graph, [{ signal }]);
    return valuesOf(Reflect.apply(stream, copy, [input, { ...others, encoding }]));
  };
}

async function* valuesOf<Value>(values: Iterable<Value> | Promise<AsyncIterable<Value>>): AsyncGenerator<Value> {
  yield* await values;
}

/** Returns the options of a run as LangGraph makes them. A graph that a node calls without its config runs in that node. */
function startOptions({ config }: Pick<AnyGraph, "config">, options: RunOptions = {}): RunOptions {
  const around = getConfig()?.configurable ?? {};
  const { configurable = {} } = options;
  const isInNode = isNested(around) && !isNested(configurable);
  return ensureConfig<RunOptions>({
    recursionLimit: config?.recursionLimit,
    ...options,
    ...(isInNode && { configurable: { ...around, ...configurable } }),
  });
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
