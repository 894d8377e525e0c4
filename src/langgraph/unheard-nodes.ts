import { type Runnable, type RunnableConfig, RunnableSequence } from "@langchain/core/runnables";
import type { CompiledStateGraph } from "@langchain/langgraph";
import { DirectRunnable } from "./direct-runnable.js";

/**
 * Makes a compiled graph run its nodes faster. LangGraph runs a node and its writer as a sequence of LangChain. The
 * sequence tells the callbacks of the run about each of the two, and makes a config for each. Most runs have no
 * callbacks, so nobody hears of it. Then the node and its writer simply run one after the other.
 *
 * A node that is no such pair stays as it is. It does the same, only slower.
 */
export function runUnheard(graph: Pick<CompiledStateGraph<unknown, unknown>, "nodes">): void {
  for (const node of Object.values(graph.nodes)) {
    const sequence: Runnable | undefined = node.getNode();
    const [first, last, ...others] = sequence instanceof RunnableSequence ? sequence.steps : [];
    if (sequence === undefined || first === undefined || last === undefined || others.length > 0) continue;
    const pair = unheardPair(sequence, first, last);
    node.getNode = () => pair;
  }
}

function unheardPair(sequence: Runnable, first: Runnable, last: Runnable): Runnable {
  return new DirectRunnable(sequence.getName(), async (input: unknown, config: Partial<RunnableConfig>) => {
    if (config.callbacks !== undefined) return sequence.invoke(input, config);
    const update: unknown = await first.invoke(input, config);
    config.signal?.throwIfAborted();
    return last.invoke(update, config);
  });
}
