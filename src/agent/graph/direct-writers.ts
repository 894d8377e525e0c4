import type { Runnable, RunnableConfig } from "@langchain/core/runnables";
import { type CompiledStateGraph, isCommand, type LangGraphRunnableConfig } from "@langchain/langgraph";
import { DirectRunnable } from "./direct-runnable.js";

/** Where LangGraph tells a task how to write to channels, and its edges how to read them. */
const SEND = "__pregel_send";
const READ = "__pregel_read";

/**
 * Makes a compiled graph's nodes write without detours. After each node LangGraph runs a chain of small runnables: one
 * writes the update to the channels, one follows a `Command`, and one follows each edge. Each of them sets up a tracing
 * context of its own, which nothing looks at, and together they took a third of a step's time. Here their functions are
 * called one after another, the one for commands only for a command; what a node returns, which TypeScript has checked,
 * goes to the channels as it is; and its routers see that update, not a copy of the state made for them with the update in
 * it. What comes from outside (`updateState`) is still checked by the state's schema, and its routers see the state.
 */
export function writeDirectly(graph: Pick<CompiledStateGraph<unknown, unknown>, "nodes">): void {
  for (const node of Object.values(graph.nodes)) {
    const [writeUpdate, followCommand, ...followEdges] = node.writers.map(direct);
    if (writeUpdate === undefined || followCommand === undefined) continue;
    const writeChecked = async (written: unknown, config: LangGraphRunnableConfig) => {
      await writeUpdate.invoke(written, config);
      if (isCommand(written) || Array.isArray(written)) await followCommand.invoke(written, config);
      return config;
    };
    const run = async (written: unknown, given: LangGraphRunnableConfig) => {
      const config = sendUpdate(written, given) ?? (await writeChecked(written, given));
      for (const followEdge of followEdges) await followEdge.invoke(written, config);
      return written;
    };
    node.writers = [new DirectRunnable("write", run)];
  }
}

/** Sends what a node returned to the channels, and returns the config for its edges; undefined when it is no plain update. */
function sendUpdate(written: unknown, config: LangGraphRunnableConfig): LangGraphRunnableConfig | undefined {
  const send: unknown = config.executionInfo && config.configurable?.[SEND];
  if (typeof send !== "function" || typeof written !== "object" || written === null) return undefined;
  if (isCommand(written) || Array.isArray(written)) return undefined;
  send(Object.entries(written));
  return { ...config, configurable: { ...config.configurable, [READ]: () => written } };
}

/** LangGraph's `RunnableCallable` and its `ChannelWrite`, as far as they matter here. */
type Callable = Runnable & {
  readonly func?: (input: unknown, config: Partial<RunnableConfig>) => unknown;
  readonly writes?: readonly { mapper?: Callable }[];
};

/** The function in one of LangGraph's runnables; the runnable itself where it has none. */
function direct(callable: Callable): Runnable {
  for (const entry of callable.writes ?? []) if (entry.mapper) entry.mapper = direct(entry.mapper);
  return callable.func ? new DirectRunnable(callable.getName(), callable.func) : callable;
}
