import { Runnable, type RunnableConfig } from "@langchain/core/runnables";
import type { CompiledStateGraph } from "@langchain/langgraph";
import { DirectRunnable } from "./direct-runnable.js";

/**
 * Makes a compiled graph write faster. After each node LangGraph runs small functions that write the update to the channels
 * and follow the edges. It sets up an asynchronous context for each of them, which none of them reads. That takes a fifth
 * of a step's time. Here the same functions run in the same order, without those contexts.
 *
 * A writer that does not have the known shape stays as it is. It is then slower, and does the same.
 */
export function untraceWriters(graph: Pick<CompiledStateGraph<unknown, unknown>, "nodes">): void {
  for (const node of Object.values(graph.nodes)) node.writers = node.writers.map(untraced);
}

/** LangGraph's `RunnableCallable` when it is not traced. Its `ChannelWrite` is one whose `writes` may hold others. */
interface UntracedCallable extends Runnable {
  readonly trace: false;
  readonly func: (input: unknown, config: Partial<RunnableConfig>) => unknown;
  readonly writes?: readonly { mapper?: Runnable }[];
}

function isUntracedCallable(runnable: Runnable): runnable is UntracedCallable {
  return "trace" in runnable && runnable.trace === false && "func" in runnable && typeof runnable.func === "function";
}

function untraced(runnable: Runnable): Runnable {
  if (!isUntracedCallable(runnable)) return runnable;
  for (const entry of runnable.writes ?? []) if (entry.mapper) entry.mapper = untraced(entry.mapper);
  return new DirectRunnable(runnable.getName(), async (input, config) => {
    const result = await runnable.func(input, config);
    return Runnable.isRunnable(result) ? result.invoke(input, config) : result;
  });
}
