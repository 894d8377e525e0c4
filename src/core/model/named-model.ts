import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { Runnable } from "@langchain/core/runnables";
import { InvalidOptionError } from "../../base/errors.js";
import { chatModelSchema, modelsInFallbacks, unbound } from "../../langgraph/chat-models.js";
import { nameOfModel } from "../../model/models.js";
import { withReadableReplies } from "../../model/readable-model.js";

/** A chat model of an agent, with the name for its usage and its events. No other model of the agent has this name. */
export interface NamedModel {
  readonly name: string;
  readonly model: BaseChatModel;
}

/** The models of an agent. There is at least one. */
export type NamedModels = readonly [NamedModel, ...NamedModel[]];

/**
 * Returns the models that an agent asks, each after the failure of the one before. A model of LangChain's
 * `withFallbacks` counts as the models in it. So each is asked in the protocol that it can speak.
 *
 * @throws InvalidOptionError when there is no model, or settings are bound around `withFallbacks`. They belong to one of
 *   the models in it.
 */
export function namedModels(models: readonly Runnable[]): NamedModels {
  const [only, other] = models;
  if (only === undefined || other !== undefined) return named(models);
  const known = alone.get(only) ?? named(models);
  alone.set(only, known);
  return known;
}

/** The models of agents with only one. An agent asks for it in each step. */
const alone = new WeakMap<Runnable, NamedModels>();

function named(models: readonly Runnable[]): NamedModels {
  const all: NamedModel[] = [];
  for (const model of models.flatMap(alternatives)) {
    const name = nameOfModel(model);
    const sameName = all.filter((other) => other.name.replace(/#\d+$/, "") === name).length;
    all.push({ name: sameName === 0 ? name : `${name}#${sameName + 1}`, model: withReadableReplies(model) });
  }
  const [first, ...others] = all;
  if (first === undefined) throw new InvalidOptionError("model", "the list is empty; give at least one model.");
  return [first, ...others];
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
