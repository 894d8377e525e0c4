import { ToolMessage } from "@langchain/core/messages";
import { isCommand } from "@langchain/langgraph";
import type { CallTool, Plugin, ToolRequest } from "../../parts/plugin.js";
import { Draft, runtimeFor } from "../../seams/draft.js";

/** Puts the plug-ins around a call that wrap the calls of tools. */
export function wrappedCall(plugins: readonly Plugin[], made: CallTool): CallTool {
  return plugins.reduceRight<CallTool>((next, plugin) => {
    return plugin.wrapToolCall ? (request) => wrapCall(plugin, request, next) : next;
  }, made);
}

/** Calls a tool through a middleware, which gets and gives what those of LangChain do. */
async function wrapCall(plugin: Plugin, request: ToolRequest, next: CallTool): Promise<unknown> {
  const { toolCall, tool, state, config } = request;
  const runtime = runtimeFor(plugin, config);
  const own = { toolCall: structuredClone(toolCall), tool, state: new Draft(state, [plugin]).seenBy(plugin), runtime };
  // A value that is no message stays what it is, if nobody changed its message.
  const bare = new Map<unknown, { readonly value: unknown; readonly content: string }>();
  const handler = async ({ toolCall: { args }, tool }: typeof own) => {
    const value = await next({ ...request, toolCall: { ...toolCall, args }, tool });
    if (ToolMessage.isInstance(value) || isCommand(value)) return value;
    const content = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
    const message = new ToolMessage({ tool_call_id: toolCall.id, name: tool.name, content });
    bare.set(message, { value, content });
    return message;
  };
  const result: unknown = await Reflect.apply(plugin.wrapToolCall ?? next, plugin, [own, handler]);
  const same = bare.get(result);
  return same && ToolMessage.isInstance(result) && result.content === same.content ? same.value : result;
}
