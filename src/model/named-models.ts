import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { Runnable } from "@langchain/core/runnables";
import { z } from "zod";
import { InvalidOptionError } from "../base/errors.js";
import { perObject } from "../base/per-object.js";
import type { ModelServer, NamedModel, NamedModels } from "../core/parts/models.js";
import { chatModelSchema, kindOfModel, modelsInFallbacks, unbound } from "../langgraph/chat-models.js";
import { windowOf } from "./context-window.js";
import { geminiTools } from "./gemini-tools.js";
import { failedCallOf, serverName, toModelError } from "./model-errors.js";
import { modelAbilities, nameOfModel, providerOfModel } from "./models.js";
import { showWhole } from "./package-streams.js";
import { readStream } from "./read-stream.js";
import { type ClientSettings, isReadable, readableSettings } from "./readable-fetch.js";

/**
 * Returns the models that an agent asks, each after the failure of the one before. A model of LangChain's `withFallbacks` is
 * split into its models, so that each is asked in a protocol that it supports.
 *
 * @throws InvalidOptionError when there is no model, or settings are bound around `withFallbacks`. They belong to one of
 *   the models in it.
 */
export function namedModels(models: readonly Runnable[]): NamedModels {
  const [only, other] = models;
  if (only === undefined || other !== undefined) return named(models);
  return alone(only);
}

// An agent with only one model asks for it in each step.
const alone = perObject((only: Runnable): NamedModels => named([only]));

function named(models: readonly Runnable[]): NamedModels {
  const all: NamedModel[] = [];
  for (const given of models.flatMap(alternatives)) {
    const name = nameOfModel(given);
    const sameName = all.filter((other) => other.name.replace(/#\d+$/, "") === name).length;
    const model = withReadableReplies(given);
    showWhole(model);
    const known = { model, abilities: modelAbilities(model), server: serverOf(model) };
    all.push({ name: sameName === 0 ? name : `${name}#${sameName + 1}`, ...known });
  }
  const [first, ...others] = all;
  if (first === undefined) throw new InvalidOptionError("model", "the list is empty; give at least one model.");
  return [first, ...others];
}

function serverOf(model: BaseChatModel): ModelServer {
  return {
    name: () => serverName(model),
    provider: () => providerOfModel(model),
    readReply: (chunks, hasEnd) => readStream(chunks, hasEnd ? kindOfModel(model) : undefined),
    window: () => windowOf(model),
    explain: (error, signal) => toModelError(error, model, signal),
    failedCall: failedCallOf,
    definitions: (tools) => (providerOfModel(model) === "gcp.gemini" ? geminiTools(tools) : undefined),
  };
}

function alternatives(model: Runnable): BaseChatModel[] {
  const models = modelsInFallbacks(unbound(model));
  if (models === undefined) return [chatModelSchema.parse(model)];
  if (unbound(model) !== model) throw new InvalidOptionError("model", boundAround);
  return models.flatMap(alternatives);
}

const boundAround =
  "settings are bound around withFallbacks, where no model has them; bind them to each model: " +
  "first.withConfig(…).withFallbacks([second.withConfig(…)]).";

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

/**
 * Returns a copy of a `ChatOpenAI` with {@link readableSettings}. The errors of the copy have the server's words; the model
 * itself is not changed. Every other model is returned as it is, also a subclass of `ChatOpenAI`, which may need more than
 * its fields.
 */
const withReadableReplies = perObject((model: BaseChatModel): BaseChatModel => {
  const { data } = openaiSchema.safeParse(model);
  if (data?.constructor.name !== "ChatOpenAI" || isReadable(data.clientConfig)) return model;
  const { constructor: ChatOpenAI, clientConfig, fields } = data;
  const settings = readableSettings({ ...fields.configuration, fetch: clientConfig.fetch });
  const made = new ChatOpenAI({ ...fields, configuration: settings });
  const copy: BaseChatModel = Object.create(Object.getPrototypeOf(model), Object.getOwnPropertyDescriptors(model));
  for (const part of parts) Reflect.set(copy, part, Reflect.get(made, part));
  return copy;
});

/** The parts of a `ChatOpenAI` that hold the settings of its client. */
const parts = ["lc_kwargs", "fields", "clientConfig", "completions", "responses"];
