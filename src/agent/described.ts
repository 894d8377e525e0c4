import { messageOf } from "../base/message-of.js";
import type { AgentParts, RunParts } from "../core/parts/agent-parts.js";
import { metadataOf } from "../core/parts/tool-metadata.js";
import { graphOfTool } from "../langgraph/guarded-graph.js";
import { isFunction } from "../middleware/run-view.js";
import { loadModel } from "../model/models.js";
import { namedModels } from "../model/named-models.js";
import { priceOf } from "../model/prices.js";
import { type AgentDescription, type DescribedTool, knownAgent } from "./known-agents.js";
import type { AgentOptions } from "./options.js";
import { knownLimits } from "./turn-limits.js";

/** Returns what is known of an agent by its options, and by the parts that were made of them. */
export async function described(parts: AgentParts | RunParts, options: AgentOptions): Promise<AgentDescription> {
  const { approve = "never", taint = "ignore", tools, limits } = options;
  return {
    ...(await modelsOf(parts, options)),
    ...(!isFunction(tools ?? []) && { tools: await toolsOf(parts) }),
    limits: knownLimits(limits),
    ...(typeof approve === "string" && { approve }),
    taint,
  };
}

async function modelsOf(
  { protocols: { text, native } }: Pick<AgentParts, "protocols">,
  { model, protocol, limits }: AgentOptions,
): Promise<Pick<AgentDescription, "models" | "problem">> {
  if (isFunction(model)) return {};
  const given = [model].flat();
  try {
    const loaded = await Promise.all(given.map((one) => (typeof one === "string" ? loadModel(one) : one)));
    const models = namedModels(loaded).map(({ name, abilities, server }) => ({
      name,
      provider: server.provider(),
      ...(!isFunction(protocol) && { protocol: (native && abilities.nativeTools ? native : text).name }),
      price: priceOf(name, limits?.prices),
    }));
    return { models };
  } catch (error) {
    const named = given.flatMap((name) => (typeof name === "string" ? [{ name }] : []));
    return { models: named, problem: messageOf(error) };
  }
}

async function toolsOf({ tools }: Pick<AgentParts, "tools">): Promise<DescribedTool[]> {
  const own = tools.specs.map(async ({ fence, ...spec }) => {
    const tool = tools.byName.get(spec.name);
    const agent = tool && (await knownAgent(graphOfTool(tool))?.describe());
    return { ...spec, ...(tool && metadataOf(tool).effects && { effects: true }), ...(agent && { agent }) };
  });
  return [...(await Promise.all(own)), ...tools.ofProvider.map(({ name }) => ({ name, by: "provider" as const }))];
}
