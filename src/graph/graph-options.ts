import type { BaseCheckpointSaver, BaseStore } from "@langchain/langgraph-checkpoint";
import type { z } from "zod";
import type { MultitaskStrategy, WhileWaiting } from "../core/run/keeper.js";

/** What LangGraph is told about the graph of an agent. */
export interface GraphOptions<Context extends z.ZodObject = z.ZodObject> {
  /**
   * The schema of what a run is given with `context`: a user, a tenant, a key. It is checked when a run starts, and it is
   * never stored. `model`, `tools`, `protocol`, `instructions`, `examples`, `memory` and `limits.maxSteps` may be functions
   * of `{ context, state }`. Each node that needs the value calls the function again. So return the same tools and the same
   * protocol for the same question and steps.
   *
   * @example
   * createAgent({
   *   model,
   *   context: z.object({ name: z.string() }),
   *   instructions: ({ context }) => `You help ${context.name}.`,
   * });
   * // agent.invoke({ messages: "Hi" }, { context: { name: "Ann" } })
   */
  context?: Context;
  /**
   * The store of the threads: `(await openThreads(url)).checkpointer` or any LangGraph saver. Default: none, and
   * nothing is kept. LangGraph also takes a boolean for an agent inside another graph: `true` gives it its own memory
   * on the threads of the outer graph, `false` gives it no memory.
   */
  checkpointer?: BaseCheckpointSaver | boolean;
  /**
   * The time at which the steps of a run are saved. Default: `"sync"`. The values are those of LangGraph:
   *
   * - `"sync"` saves a step before the next one starts. A run that was killed continues after its last finished node.
   *   The store of `openThreads` saves a reply together with the decision of `parse`.
   * - `"async"` saves a step while the next one runs. A write that fails ends the process. Calls with effects may be repeated
   *   after a crash.
   * - `"exit"` saves when the run ends. A run that is killed is lost, with its question, and its calls with effects may be
   *   repeated. Only the end of the run is kept: `regenerate` and `edit` refuse its turn, and there is no step to replay or
   *   to fork.
   *
   * `docs/threads.md` has a table of what each of them keeps.
   */
  durability?: "sync" | "async" | "exit";
  /**
   * Decides about a run whose thread is in use by another run, in this process or elsewhere. Default: `"reject"`. The
   * values are those of the LangGraph server:
   *
   * - `"reject"` throws a {@link ThreadInUseError}.
   * - `"enqueue"` waits until the other run has ended.
   * - `"interrupt"` stops the other run and keeps its finished steps. The other run throws a
   *   {@link ThreadError} "thread-interrupted".
   *
   * The value `configurable.multitask_strategy` of a call overrides this option. Only threads of `openThreads` are guarded.
   */
  multitaskStrategy?: MultitaskStrategy;
  /**
   * Decides about the calls that wait for a person when a new question comes. Default: `"drop"`.
   *
   * - `"drop"` ends their turn with an answer that says so. The event `dropped` has what was asked.
   * - `"keep"` answers the question, and then asks about the calls again. What a middleware asks cannot be kept: the question is
   *   refused.
   * - `"refuse"` throws a {@link ThreadError} "decision-missing", and nothing changes.
   *
   * The value `configurable.while_waiting` of a call overrides this option.
   */
  whileWaiting?: WhileWaiting;
  /** The long-term store of LangGraph, for tools that use it. Default: none. A server gives an agent without one its own. */
  store?: BaseStore;
  /**
   * The name of the graph in traces. Default: `"glassloop"`. A name that you give is also the `name` of the agent's messages,
   * so that other agents see who spoke. In messages, spaces and the characters `<`, `|`, `\`, `/`, `>` become `_`, as OpenAI
   * refuses them.
   */
  name?: string;
}
