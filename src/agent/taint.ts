import { AIMessage, ToolMessage } from "@langchain/core/messages";
import type { AgentTool, Approval } from "../core/parts/tools.js";
import { decisionTypes } from "../core/state/decision-types.js";
import { providerSteps } from "../core/state/provider-steps.js";
import type { AgentStateValues } from "../core/state/state.js";
import { metadataOf } from "../core/tools/tool-metadata.js";

/** Returns the check that asks about the calls of a tool with effects, once text from outside is in the thread. */
export function afterTaint(name: string, tools: ReadonlyMap<string, AgentTool>): Approval {
  return async (_, { state }) => {
    const source = taintOf(state, tools);
    if (source === undefined) return undefined;
    const why = `${name} has effects, and the conversation holds text from outside, of ${source}. It may try to give orders.`;
    return { why, allowed: [...decisionTypes] };
  };
}

/**
 * Returns the name of a tool that brought text from outside into a thread. Tools of the provider do, too. An answer of an
 * earlier turn may carry on what that text says, so that all turns count. Text of a tool that the agent does not have is from
 * outside, too.
 */
function taintOf(
  { messages, intermediateSteps }: AgentStateValues,
  tools: ReadonlyMap<string, AgentTool>,
): string | undefined {
  const source = messages.filter(ToolMessage.isInstance).find(({ name = "", status }) => {
    const tool = tools.get(name);
    return tool ? metadataOf(tool).untrusted : status !== "error";
  });
  const steps = [
    ...messages.filter(AIMessage.isInstance).flatMap((message) => providerSteps(message, "")),
    // A reply that was not followed is quoted in a prompt.
    ...intermediateSteps.flatMap(({ reply }) => reply.byProvider ?? []),
  ];
  return source ? (source.name ?? "another tool") : steps.find((step) => step.type === "action")?.tool;
}
