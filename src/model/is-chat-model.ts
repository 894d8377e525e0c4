import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { hasMethods } from "../base/options.js";
import { unbound } from "../core/model/per-model.js";

/**
 * Tells whether a value is a LangChain chat model, even from another copy of the package. It also accepts a model
 * inside `withConfig`, `withRetry` and `withFallbacks`.
 */
export function isChatModel(value: unknown): value is BaseChatModel {
  const model = unbound(value);
  if (!hasMethods(model, ["invoke", "stream"])) return false;
  if ("runnable" in model) {
    const others = "fallbacks" in model && Array.isArray(model.fallbacks) ? model.fallbacks : [];
    return [model.runnable, ...others].every(isChatModel);
  }
  return hasMethods(model, ["_modelType"]) && Reflect.get(model, "_modelType").call(model) === "base_chat_model";
}
