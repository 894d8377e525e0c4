import type { BaseChatModel, BaseChatModelCallOptions } from "@langchain/core/language_models/chat_models";
import { AIMessage, SystemMessage } from "@langchain/core/messages";
import { isCommand, type LangGraphRunnableConfig } from "@langchain/langgraph";
import { InvalidOptionError } from "../../base/errors.js";
import { isRecord } from "../../base/is-record.js";
import type { WrappedRequest } from "../parts/middleware.js";
import type { Plugin } from "../parts/plugin.js";
import { type Draft, runtimeFor } from "./draft.js";

/** A request for the reply of a step, in the form of LangChain's middleware. */
export interface ModelRequest extends Omit<WrappedRequest, "state" | "runtime" | "modelSettings"> {
  readonly model: BaseChatModel;
  readonly toolChoice?: BaseChatModelCallOptions["tool_choice"];
  readonly modelSettings: BaseChatModelCallOptions;
}

type AskMessage = (request: ModelRequest) => Promise<AIMessage>;

/** Puts the plug-ins around the request for a reply that wrap it. */
export function wrapModelCall(
  plugins: readonly Plugin[],
  draft: Draft,
  config: LangGraphRunnableConfig,
  ask: AskMessage,
): AskMessage {
  const wrappers = plugins.filter((plugin) => plugin.wrapModelCall);
  return wrappers.reduceRight<AskMessage>((next, plugin) => {
    return async (request) => {
      let last: AIMessage | undefined;
      const own = { ...request, state: draft.seenBy(plugin), runtime: runtimeFor(plugin, config) };
      const handler = async (given: ModelRequest) => {
        last = await next(withSystem(given, request));
        return last;
      };
      const result: unknown = await Reflect.apply(plugin.wrapModelCall ?? handler, plugin, [own, handler]);
      if (isCommand(result) && isRecord(result.update)) draft.apply(result.update);
      const message = isCommand(result) ? last : result;
      if (AIMessage.isInstance(message)) return message;
      throw new InvalidOptionError("middleware", `${plugin.name}.wrapModelCall returned no message of a model.`);
    };
  }, ask);
}

/** Returns a request whose two forms of the system prompt say the same. */
function withSystem(given: ModelRequest, before: ModelRequest): ModelRequest {
  if ("responseFormat" in given && given.responseFormat !== undefined)
    throw new InvalidOptionError("middleware", "one sets responseFormat; give the agent the option output instead.");
  const { systemPrompt, systemMessage } = given;
  if (systemMessage !== before.systemMessage) return { ...given, systemPrompt: systemMessage.text };
  return systemPrompt === before.systemPrompt ? given : { ...given, systemMessage: new SystemMessage(systemPrompt) };
}
