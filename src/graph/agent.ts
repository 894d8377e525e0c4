import type { RunnableToolLike } from "@langchain/core/runnables";
import type { InteropZodType } from "@langchain/core/utils/types";
import type {
  CommandInstance,
  CompiledStateGraph,
  LangGraphRunnableConfig,
  Messages,
  Pregel,
} from "@langchain/langgraph";
import type { z } from "zod";
import type { NodeName } from "../core/nodes/node-names.js";
import type { AgentState, AgentStateUpdate, AgentStateValues } from "../core/state/state.js";
import type { TurnInput } from "../core/state/turn-input.js";

/** What a turn is asked, with values for channels of middleware. LangGraph's `Command` has the answers that a turn waits for. */
export type AgentInput =
  | { messages: Messages; readonly [channel: string]: unknown }
  | CommandInstance<unknown, AgentStateUpdate, NodeName>;

/** The state at the end of a turn. `Output` is the type of what fits the output of the agent. */
export interface TurnResult<Output = unknown> extends AgentStateValues {
  output: Output | null;
}

/** The ways to run an agent, with the types of its output and of its context. */
export type AgentRuns<Output, Context extends Record<string, unknown>> = Pregel<
  Agent["nodes"],
  Agent["channels"],
  Context,
  AgentInput,
  TurnResult<Output>,
  AgentStateUpdate,
  TurnResult<Output>,
  Agent["~NodeReturnType"],
  never
>;

/**
 * An agent: a compiled LangGraph graph. `Output` is the type of what fits its output, and `Context` the type of what its runs
 * are given with `context`.
 */
export interface Agent<Output = unknown, Context extends Record<string, unknown> = Record<string, unknown>>
  extends CompiledStateGraph<
    AgentStateValues,
    AgentStateUpdate,
    NodeName,
    typeof TurnInput,
    typeof AgentState,
    z.ZodObject,
    Partial<Record<NodeName, AgentStateUpdate>>
  > {
  /** Runs a turn, and returns the state at its end. The input null continues a turn that stopped. */
  invoke: AgentRuns<Output, Context>["invoke"];
  /** Runs a turn, and yields what the `streamMode` asks for. `streamTurn` yields events with types instead. */
  stream: AgentRuns<Output, Context>["stream"];
  /** Runs a turn, and yields the events of LangChain's runnables. */
  streamEvents: AgentRuns<Output, Context>["streamEvents"];
  /** Runs several turns, on threads of their own. */
  batch: AgentRuns<Output, Context>["batch"];
  /** Makes a tool of the agent. Without a schema it takes one question. */
  asTool: AgentRuns<Output, Context>["asTool"] &
    ((fields?: { name?: string; description?: string }) => RunnableToolLike<InteropZodType, TurnResult<Output>>);
}

/** The LangGraph config of a run: thread, abort signal, callbacks, and what the agent takes with `context`. */
export interface RunConfig<Context = Record<string, unknown>>
  extends Omit<NonNullable<Parameters<Agent["invoke"]>[1]>, "context" | "streamMode" | "subgraphs">,
    Pick<LangGraphRunnableConfig, "writer"> {
  readonly context?: Context;
}
