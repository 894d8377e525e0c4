import { ToolMessage } from "@langchain/core/messages";
import { isUntrusted } from "../../tools/calling/marks.js";
import type { AgentTool } from "../../tools/calling/tool-spec.js";
import type { AgentStateValues } from "../../turn/state.js";

/**
 * Returns the name of the first tool that brought text from outside into a thread. An answer of an earlier turn may carry on
 * what that text says, so that all turns count. Text of a tool that the agent does not have is from outside, too.
 */
export function taintOf({ messages }: AgentStateValues, tools: ReadonlyMap<string, AgentTool>): string | undefined {
  const source = messages.filter(ToolMessage.isInstance).find(({ name = "", status }) => {
    const tool = tools.get(name);
    return tool ? isUntrusted(tool) : status !== "error";
  });
  return source && (source.name ?? "another tool");
}
