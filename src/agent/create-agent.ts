import type { z } from "zod";
import type { Agent } from "../graph/agent.js";
import { agentOf } from "../graph/compile-agent.js";
import type { OutputSchema } from "../middleware/output/output-schema.js";
import { assembleParts } from "./assemble-parts.js";
import { described } from "./described.js";
import { known } from "./known-agents.js";
import type { AgentOptions } from "./options.js";

/**
 * Makes an agent: a compiled LangGraph graph that answers a question by thinking, acting and observing (ReAct,
 * arXiv:2210.03629). LangGraph provides `invoke`, `stream`, `streamEvents`, `getState`, `getStateHistory` and
 * `updateState`. The durability is `sync`, and the recursion limit follows from `maxSteps`. The config of a call
 * overrides both. `invoke(null, config)` continues a run that failed, was aborted or was killed, after its last
 * finished node.
 *
 * @param options See {@link AgentOptions}.
 * @returns The graph. Its runs return the state: `answer`, `stopReason`, `intermediateSteps`, `messages` and the rest. With the
 *   option `output` the state has the answer as data, too: `output`.
 * @throws InvalidOptionError when an option has a wrong value (such as two tools with one name) or does not exist. A
 *   run of the graph throws a {@link ThreadInUseError} when another run uses its thread. The option `multitaskStrategy`
 *   can change this.
 * @example
 * const agent = createAgent({ model: new ChatOpenAI({ model: "gpt-4o-mini" }), tools: [calculator()] });
 * const { answer } = await agent.invoke({ messages: "What is the square root of 25?" });
 */
export function createAgent<Schema extends OutputSchema = z.ZodUnknown, Context extends z.ZodObject = z.ZodObject>(
  options: AgentOptions<Schema, Context>,
): Agent<z.output<Schema>, z.input<Context>>;
export function createAgent(options: AgentOptions): Agent {
  const parts = assembleParts(options);
  return known(agentOf(parts, options), parts, () => described(parts, options));
}
