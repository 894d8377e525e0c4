import type { RunnableConfig } from "@langchain/core/runnables";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { InvalidOptionError } from "../base/errors.js";
import { sharedByCopies } from "../base/shared-by-copies.js";
import { CHECKPOINTER_KEY, RESUMING_KEY } from "./names.js";
import { nextNodes } from "./pending-nodes.js";
import { waitsForAnswer } from "./pending-writes.js";

/** The path of the run that uses a memory, by the memory and the step of the outermost graph. */
const atWork = sharedByCopies("own-memories.1", new Map<string, string>());

/**
 * Runs an agent that has a memory of its own in a graph (`checkpointer: true`). LangGraph stores this memory in a namespace
 * made of the names of the nodes that lead to the agent, without the ids of their tasks. So two parallel tasks of one node
 * (`Send`) would share the memory: their steps would be mixed, and a person's decision on one task would be used for the
 * other.
 *
 * @throws InvalidOptionError when another task of the step uses the memory, or waits for a person.
 */
export async function* inOwnMemory<T, Config extends RunnableConfig>(
  config: Config,
  run: (config: Config) => AsyncGenerator<T>,
): AsyncGenerator<T> {
  const { configurable = {} } = config;
  const { thread_id, checkpoint_ns: path = "", checkpoint_map: above } = configurable;
  const namespace = path.replaceAll(/:[^|]*/g, "");
  const memory = [above?.[""], thread_id, namespace].join(" ");
  if ((atWork.get(memory) ?? path) !== path) throw new InvalidOptionError("checkpointer", oneMemory);
  atWork.set(memory, path);
  try {
    const place = { configurable: { ...configurable, checkpoint_ns: namespace } };
    const newest: CheckpointTuple | undefined = await configurable[CHECKPOINTER_KEY]?.getTuple(place);
    const isOfThisStep = newest?.metadata?.parents?.[""] === above?.[""];
    const isResuming = configurable[RESUMING_KEY] === true;
    if (!isResuming && isOfThisStep && waitsForAnswer(newest?.pendingWrites ?? []))
      throw new InvalidOptionError("checkpointer", oneMemory);
    // LangGraph would resume from the newest checkpoint, which is the end of an earlier turn if this turn was stopped before
    // it began.
    const isEarlier = isResuming && !isOfThisStep && newest && nextNodes(newest).length === 0;
    yield* run(isEarlier ? { ...config, configurable: { ...configurable, [RESUMING_KEY]: false } } : config);
  } finally {
    atWork.delete(memory);
  }
}

const oneMemory =
  "with true the agent has one memory for all tasks of a step, and another one is at work there or waits for a person. " +
  "Leave checkpointer out, or let the tasks run one after the other. No graph around the agent may have false.";
