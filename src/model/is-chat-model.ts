import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { hasMethods } from "../base/options.js";
import { unbound } from "./models.js";

/**
 * Whether a value is a LangChain chat model, perhaps of another copy of its package. Settings bound to it (`withConfig`,
 * `withRetry`) and `withFallbacks` are looked through.
 */
export function isChatModel(value: unknown): value is BaseChatModel {
  const model = unbound(value);
  if (!hasMethods(model, ["invoke", "stream"])) return false;
  if ("runnable" in model) return isChatModel(model.runnable);
  return hasMethods(model, ["_modelType"]) && Reflect.get(model, "_modelType").call(model) === "base_chat_model";
}
