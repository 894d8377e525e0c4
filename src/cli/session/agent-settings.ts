import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { z } from "zod";
import type { AgentOptions } from "../../agent/options.js";
import { InvalidOptionError } from "../../base/errors.js";
import { oneOf } from "../../base/options.js";
import type { LoadModelOptions } from "../../model/model-class.js";
import { nameOfModel } from "../../model/models.js";
import { priceOf } from "../../model/prices.js";
import type { ChosenSettings } from "../program/chosen-settings.js";
import { offeredModels, settings } from "../program/settings.js";
import type { ModelServer } from "./server.js";

/** Returns the options of an agent that settings describe: its model, its limits, its words. Its tools are not among them. */
export async function agentSettings(chosen: ChosenSettings, { model, baseUrl, env }: ModelServer) {
  const limits = {
    maxModelCalls: chosen.value(settings.maxModelCalls),
    maxTokens: chosen.value(settings.maxTokens),
    maxTurnMs: chosen.value(settings.maxTime),
  };
  const ofModel = {
    env,
    baseUrl,
    temperature: chosen.value(settings.temperature),
    maxReplyTokens: chosen.value(settings.maxReplyTokens),
    streaming: chosen.value(settings.stream),
  };
  const offered = offeredModels(model).map(async (names) => {
    const loaded = names.map((name) => loadNamedModel(name, ofModel));
    return [names.join(","), await Promise.all(loaded)] as const;
  });
  const models = new Map(
    await Promise.all(offered).catch((error: unknown) => {
      throw chosen.explained(error);
    }),
  );
  return {
    maxSteps: chosen.value(settings.maxSteps),
    limits: { ...limits, maxDollars: maxDollars(chosen, [...models.values()].flat()) },
    protocol: chosen.value(settings.protocol),
    instructions: chosen.text(settings.system),
    currentDate: chosen.value(settings.date),
    modelCalls: {
      timeouts: {
        firstTokenMs: chosen.value(settings.firstTokenTimeout),
        betweenTokensMs: chosen.value(settings.tokenTimeout),
        totalMs: chosen.value(settings.timeout),
      },
    },
    memory: await chosen.value(settings.memory)?.(),
    ...choiceOf(models),
  };
}

/** Returns the models of an agent: of several lists each run names one, or gets the first. */
function choiceOf(models: ReadonlyMap<string, readonly BaseChatModel[]>): Pick<AgentOptions, "model" | "context"> {
  const [[first, list] = ["", []], ...others] = models;
  if (others.length === 0) return { model: list };
  return {
    context: z.object({ model: oneOf([...models.keys()]).default(first) }),
    model: ({ context }) => models.get(String(context.model)) ?? list,
  };
}

/** Returns the highest cost of a turn. @throws UsageError if the price of a model is not known. */
function maxDollars(chosen: ChosenSettings, models: readonly BaseChatModel[]): number | undefined {
  const limit = chosen.value(settings.maxDollars);
  if (limit === undefined) return undefined;
  const unpriced = models.map(nameOfModel).find((name) => priceOf(name) === undefined);
  if (unpriced === undefined) return limit;
  throw chosen.wrong(
    settings.maxDollars,
    `The price of the model "${unpriced}" is not known. Limit its tokens with --max-tokens, and take this limit away with --max-dollars "".`,
  );
}

/** Loads a model by its name. LangChain's package for it is imported only now. */
async function loadNamedModel(name: string, options: LoadModelOptions): Promise<BaseChatModel> {
  const { baseUrl } = options;
  if (baseUrl !== undefined && name === "offline") {
    throw new InvalidOptionError(
      "baseUrl",
      'this is the server of a model: name that with --model, such as --model "llama3.2".',
    );
  }
  const { loadModel } = await import("../../model/models.js");
  return loadModel(name, options);
}
