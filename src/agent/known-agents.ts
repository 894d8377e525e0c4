import { sharedByCopies } from "../base/shared-by-copies.js";
import type { AgentParts, AgentProtocols } from "../core/parts/agent-parts.js";
import * as seams from "../core/seams/seams.js";
import type { PolicyName } from "../middleware/approvals/policy-names.js";
import type { ModelPrice } from "../model/prices.js";

/** What is known of an agent before it runs. What is left out is decided by a function in each run, or not limited. */
export interface AgentDescription {
  /** The models, in the order in which they are asked. `price` is in US dollars for a million tokens, if it is known. */
  readonly models?: readonly {
    readonly name: string;
    readonly provider?: string;
    readonly protocol?: string | undefined;
    readonly price?: ModelPrice | undefined;
  }[];
  /** The reason why the models cannot be loaded, such as a missing key. */
  readonly problem?: string;
  readonly tools?: readonly DescribedTool[];
  /** The limits of a turn, by their names among the options. */
  readonly limits: Readonly<Record<string, unknown>>;
  /** The calls that a person decides on. */
  readonly approve?: PolicyName;
  readonly taint: "ignore" | "approve";
  /** How a retrieval agent finds passages. */
  readonly retrieval?: {
    readonly retrievers: readonly { readonly name: string; readonly description: string }[];
    readonly combine: string;
    readonly translate?: string | undefined;
    readonly grade: boolean;
    readonly check: boolean;
    readonly adaptive: boolean;
  };
}

/** A tool, as a model is shown it. Of a tool that the provider runs only the name is known. */
export interface DescribedTool {
  readonly name: string;
  readonly description?: string;
  /** The JSON schema of the input. Left out for a tool that takes one plain string. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly by?: "provider";
  /** True if others wrote the description, and write what the tool brings. */
  readonly untrusted?: boolean;
  /** True if its calls must not be made twice. */
  readonly effects?: boolean;
  /** The agent that is the tool. */
  readonly agent?: AgentDescription | undefined;
}

/** What an agent adds to the prompts of its threads. */
export interface PromptWriter {
  readonly protocols: Pick<AgentProtocols, "writerOf">;
  /** True if the agent has a plug-in that may change prompts. */
  readonly isChanged: boolean;
}

/** What is known of an agent beside its graph. */
interface KnownAgent extends PromptWriter {
  describe(): Promise<AgentDescription>;
}

/** The known agents. LangGraph's `withConfig` copies a graph, and its builder stays the same. */
const agents = sharedByCopies("agents.1", new WeakMap<object, KnownAgent>());

/** Keeps what is known of an agent. Returns its graph. */
export function known<Made extends { readonly builder: object }>(
  graph: Made,
  { protocols, plugins }: Pick<AgentParts, "protocols" | "plugins">,
  describe: KnownAgent["describe"],
): Made {
  const isChanged = seams.hasHook(plugins, "wrapModelCall");
  agents.set(graph.builder, { protocols, isChanged, describe });
  return graph;
}

/** Returns what is known of the agent of a graph; undefined for another graph, or an agent of another version. */
export function knownAgent(graph: object | undefined): KnownAgent | undefined {
  const builder: unknown = graph && Reflect.get(graph, "builder");
  return typeof builder === "object" && builder !== null ? agents.get(builder) : undefined;
}

/**
 * Tells what is known of an agent before it runs: models with prices, tools with schemas, limits. It has no keys and no addresses.
 * Models that are named are loaded, and nothing is sent to them.
 *
 * @param agent The graph that `createAgent` or `createRetrievalAgent` made.
 * @returns undefined for another graph.
 * @example
 * for (const { name } of (await describeAgent(agent))?.tools ?? []) console.log(name);
 */
export async function describeAgent(agent: object): Promise<AgentDescription | undefined> {
  return knownAgent(agent)?.describe();
}
