import type { BaseChatModel, BaseChatModelCallOptions } from "@langchain/core/language_models/chat_models";
import { z } from "zod";
import { InvalidOptionError } from "../../base/errors.js";
import type { AskedModel } from "./model-call.js";

type Tools = Parameters<NonNullable<BaseChatModel["bindTools"]>>[0];

const bindingSchema = z.object({
  constructor: z.custom<new (fields: object) => AskedModel>((value) => typeof value === "function"),
  bound: z.custom<BaseChatModel>((value) => typeof value === "object"),
  lc_kwargs: z.looseObject({}),
});

/**
 * Returns a model with native tools and options of its calls. Settings that are bound to the model stay, such as those of
 * `withConfig`.
 *
 * @throws InvalidOptionError when there are tools, and the model has no native ones.
 */
export function withTools(model: BaseChatModel, tools: Tools, options?: BaseChatModelCallOptions): AskedModel {
  if (tools.length === 0) return options ? model.withConfig(options) : model;
  if (model.bindTools) return model.bindTools(tools, options);
  const { data: binding } = bindingSchema.safeParse(model);
  if (binding !== undefined) {
    return new binding.constructor({ ...binding.lc_kwargs, bound: withTools(binding.bound, tools, options) });
  }
  throw new InvalidOptionError(
    "protocol",
    'this model has no native tool calls, which "tool-calling" needs; give one that has them, or use "auto", "react" or another text protocol.',
  );
}
