import { ToolMessage } from "@langchain/core/messages";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { isCommand } from "@langchain/langgraph";
import type { CallTool, Plugin, ToolRequest } from "../parts/plugin.js";
import { Draft, runtimeFor } from "./draft.js";

/** Makes a call through all that wraps it. Each call asks people in a scope of its own, also where a wrapper asks. */
export function wrapToolCall(plugins: readonly Plugin[], request: ToolRequest, call: CallTool): Promise<unknown> {
  const wrappers = plugins.filter((plugin) => plugin.wrapToolCall);
  if (wrappers.length === 0) return call(request);
  const wrapped = wrappers.reduceRight<CallTool>((next, plugin) => (asked) => wrapCall(plugin, asked, next), call);
  return AsyncLocalStorageProviderSingleton.runWithConfig(request.config, () => wrapped(request));
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
