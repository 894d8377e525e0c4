import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { InvalidOptionError, SetupError } from "../../base/errors.js";
import type { Memory } from "../../core/parts/memory.js";
import type { LoadModelOptions } from "../../model/model-class.js";
import { nameOfModel } from "../../model/models.js";
import { priceOf } from "../../model/prices.js";
import type { ChosenSettings } from "../program/chosen-settings.js";
import { UsageError } from "../program/exit-codes.js";
import type { MemoryChoice } from "../program/setting-readers.js";
import { settings } from "../program/settings.js";
import type { ModelServer } from "./server.js";

/** Returns the options of an agent that settings describe: its model, its limits, its words. Its tools are not among them. */
export async function agentSettings(chosen: ChosenSettings, { model, baseUrl, env }: ModelServer) {
  const protocol = chosen.value(settings.protocol);
  if (model === "offline" && protocol === "tool-calling") {
    throw chosen.wrong(
      settings.protocol,
      'the offline rules make no native tool calls, which "tool-calling" needs. Name a language model with --model, or give another protocol.',
    );
  }
  const memory = chosen.value(settings.memory);
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
  const load = (name: string) => loadNamedModel(name.trim(), ofModel);
  const models = await Promise.all(model.split(",").map(load)).catch((error: unknown) => {
    throw chosen.explained(error);
  });
  return {
    maxSteps: chosen.value(settings.maxSteps),
    limits: { ...limits, maxDollars: maxDollars(chosen, models) },
    protocol,
    instructions: chosen.text(settings.system),
    currentDate: chosen.value(settings.date),
    modelCalls: {
      timeouts: {
        firstTokenMs: chosen.value(settings.firstTokenTimeout),
        betweenTokensMs: chosen.value(settings.tokenTimeout),
        totalMs: chosen.value(settings.timeout),
      },
    },
    memory: memory && (await loadMemory(memory)),
    model: models,
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
  try {
    return await loadModel(name, options);
  } catch (error) {
    if (!(error instanceof SetupError) || error.needed !== "@langchain/ollama") throw error;
    throw new UsageError(`${error.message}, or take ${withoutPackage(name, baseUrl)}`, { cause: error });
  }
}

/**
 * Returns the options for Ollama without its package. Ollama also speaks OpenAI's language, at an address of its own.
 */
function withoutPackage(name: string, baseUrl = "http://127.0.0.1:11434"): string {
  const server = baseUrl.trim().replace(/\/+$/, "");
  return `--model ${name.replace(/^ollama:/, "openai:")} --base-url ${server.endsWith("/v1") ? server : `${server}/v1`}`;
}

/** Makes the memory that a person named. */
async function loadMemory({ kind, size }: MemoryChoice): Promise<Memory> {
  const { buffer, summary, tokenBudget, window } = await import("../../memory/index.js");
  const turns = size === undefined ? {} : { turns: size };
  switch (kind) {
    case "buffer":
      return buffer();
    case "window":
      return window(turns);
    case "summary":
      return summary(turns);
    case "tokens":
      return tokenBudget({ tokens: size });
  }
}
