import type { RunnableConfig } from "@langchain/core/runnables";
import { nodesIn } from "../../langgraph/node-path.js";
import type { TurnEvent } from "./events.js";
import type { Meter } from "./meter.js";

const CALLER_KEY = "__glassloop_caller";

/** The call of a tool, as the agents in the tool find it in their config. */
class Caller {
  constructor(
    /** The id of the action. */
    readonly action: string,
    /** The names of the tools and nodes from the outermost graph to the tool. */
    readonly path: readonly string[],
    /** The number of nodes above the tool in LangGraph's path. */
    readonly depth: number,
    /** The teller of the agent whose tool it is. */
    readonly teller: CallersTeller,
    /** Adds up the cost of the agents in the tool. */
    readonly meter: Meter,
  ) {}
}

/** The part of a teller that the agents in a tool of its agent need. */
interface CallersTeller {
  /** The ids of the questions to a person that were told. An outer agent asks again what an inner one asked. */
  readonly asked: Set<string>;
  readonly wantsPrompts: boolean;
  publish(event: TurnEvent): void;
}

/** Finds the call of the tool in which a config is used. */
export function callerIn({ configurable }: RunnableConfig): Caller | undefined {
  const caller: unknown = configurable?.[CALLER_KEY];
  return caller instanceof Caller ? caller : undefined;
}

/** Returns the config for the tool of an action. Agents in the tool then tell what happens, with the tool in their path. */
export function withCaller<Config extends RunnableConfig>(
  config: Config,
  { id, tool }: { readonly id: string; readonly tool: string },
  teller: CallersTeller | undefined,
  meter: Meter,
): Config {
  if (teller === undefined) return config;
  const caller = new Caller(id, [...pathOfAgent(config), tool], nodesIn(config).length, teller, meter);
  return { ...config, configurable: { ...config.configurable, [CALLER_KEY]: caller } };
}

/** Returns the path of what uses a config: the names of tools and nodes, from the outermost graph on. */
export function pathOf(config: RunnableConfig): string[] {
  const { path = [], depth = 0 } = callerIn(config) ?? {};
  return [...path, ...nodesIn(config).slice(depth)];
}

/** Returns the path of the agent whose node has a config. */
export function pathOfAgent(config: RunnableConfig): string[] {
  const { path = [], depth = 0 } = callerIn(config) ?? {};
  return [...path, ...nodesIn(config).slice(depth, -1)];
}
