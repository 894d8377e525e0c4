import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { z } from "zod";
import { type ClientSettings, isReadable, readableSettings } from "./readable-fetch.js";

const openaiSchema = z.object({
  constructor: z.custom<new (fields: object) => object>((value) => typeof value === "function"),
  clientConfig: z.custom<ClientSettings>((value) => typeof value === "object"),
  fields: z.looseObject({
    configuration: z.looseObject({}).optional(),
    // Parts that a caller made in their place stay.
    completions: z.undefined().optional(),
    responses: z.undefined().optional(),
  }),
});

const copies = new WeakMap<BaseChatModel, BaseChatModel>();

/**
 * Returns a copy of a `ChatOpenAI` with {@link readableSettings}. Its errors then have the server's words. The copy has
 * all else of the model, which stays as it is. Every other model is returned unchanged. A subclass of `ChatOpenAI` is,
 * too, as it may need more than its fields.
 */
export function withReadableReplies(model: BaseChatModel): BaseChatModel {
  const known = copies.get(model);
  if (known) return known;
  const copy = readableCopy(model);
  copies.set(model, copy);
  return copy;
}

/** The parts of a `ChatOpenAI` that hold the settings of its client. */
const parts = ["lc_kwargs", "fields", "clientConfig", "completions", "responses"];

function readableCopy(model: BaseChatModel): BaseChatModel {
  const { data } = openaiSchema.safeParse(model);
  if (data?.constructor.name !== "ChatOpenAI" || isReadable(data.clientConfig)) return model;
  const { constructor: ChatOpenAI, clientConfig, fields } = data;
  const settings = readableSettings({ ...fields.configuration, fetch: clientConfig.fetch });
  const made = new ChatOpenAI({ ...fields, configuration: settings });
  const copy: BaseChatModel = Object.create(Object.getPrototypeOf(model), Object.getOwnPropertyDescriptors(model));
  for (const part of parts) Reflect.set(copy, part, Reflect.get(made, part));
  return copy;
}
