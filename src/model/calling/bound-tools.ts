import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { z } from "zod";
import { InvalidOptionError } from "../../base/errors.js";
import type { AskedModel } from "./ask-model.js";

type Tools = Parameters<NonNullable<BaseChatModel["bindTools"]>>[0];

const bindingSchema = z.object({
  constructor: z.custom<new (fields: object) => AskedModel>((value) => typeof value === "function"),
  bound: z.custom<BaseChatModel>((value) => typeof value === "object"),
  lc_kwargs: z.looseObject({}),
});

/**
 * Returns a model with native tools. Settings that are bound to the model stay, such as those of `withConfig`.
 *
 * @throws InvalidOptionError when the model has no native tools.
 */
export function withTools(model: BaseChatModel, tools: Tools): AskedModel {
  if (model.bindTools) return model.bindTools(tools);
  const { data: binding } = bindingSchema.safeParse(model);
  if (binding !== undefined) {
    return new binding.constructor({ ...binding.lc_kwargs, bound: withTools(binding.bound, tools) });
  }
  throw new InvalidOptionError(
    "protocol",
    'this model has no native tool calls, which "tool-calling" needs; use "auto", "react" or another text protocol.',
  );
}
