import type { Runnable, RunnableConfig } from "@langchain/core/runnables";
import { type CompiledStateGraph, isCommand, type LangGraphRunnableConfig } from "@langchain/langgraph";
import { DirectRunnable } from "./direct-runnable.js";

/** Where LangGraph tells a task how to write to channels. */
const SEND = "__pregel_send";

/**
 * Makes a compiled graph's nodes write without detours. After each node LangGraph runs a chain of small runnables: one
 * writes the update to the channels, one follows a `Command`, and one follows each edge. Each of them sets up a tracing
 * context of its own, which nothing looks at, and together they took a third of a step's time. Here their functions are
 * called one after another, the one for commands only for a command; and what a node returns, which TypeScript has checked,
 * goes to the channels as it is. What comes from outside (`updateState`) is still checked by the state's schema.
 */
export function writeDirectly(graph: Pick<CompiledStateGraph<unknown, unknown>, "nodes">): void {
  for (const node of Object.values(graph.nodes)) {
    const [writeUpdate, followCommand, ...followEdges] = node.writers.map(direct);
    if (writeUpdate === undefined || followCommand === undefined) continue;
    const run = async (written: unknown, config: LangGraphRunnableConfig) => {
      const followsCommand = isCommand(written) || Array.isArray(written);
      const send: unknown = config.executionInfo && config.configurable?.[SEND];
      if (typeof send === "function" && typeof written === "object" && written !== null && !followsCommand) {
        send(Object.entries(written));
      } else {
        await writeUpdate.invoke(written, config);
        if (followsCommand) await followCommand.invoke(written, config);
      }
      for (const followEdge of followEdges) await followEdge.invoke(written, config);
      return written;
    };
    node.writers = [new DirectRunnable("write", run)];
  }
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
