import { AsyncLocalStorage } from "node:async_hooks";
import type { BaseChatModel, BaseChatModelCallOptions } from "@langchain/core/language_models/chat_models";
import { z } from "zod";
import { InvalidOptionError } from "../base/errors.js";
import { isRecord } from "../base/is-record.js";
import { hasMethods } from "../base/options.js";
import { perObject } from "../base/per-object.js";
import { dropOwnRetries, hearDroppedPromise } from "./model-packages.js";

// The inside of LangChain's chat models and of the runnables around them, as in @langchain/core 1.2.13 to 1.4.0. A model
// may come from another copy of the package, so nothing here compares classes.

/** Returns the model inside LangChain's `RunnableBinding`s. */
export function unbound(model: unknown): unknown {
  if (typeof model !== "object" || model === null || !("bound" in model)) return model;
  return unbound(model.bound);
}

/** Makes a function that reads a property of a model, without its bindings, and caches the result, as each step reads it. */
export function perModel<Value>(read: (model: unknown) => Value): (model: unknown) => Value {
  const readOnce = perObject<object, Value>(read);
  return (bound) => {
    const model = unbound(bound);
    return typeof model === "object" && model !== null ? readOnce(model) : read(model);
  };
}

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

export const chatModelSchema = z.custom<BaseChatModel>(isChatModel);
const fallbacksSchema = z.object({ runnable: chatModelSchema, fallbacks: z.array(chatModelSchema) });

/** Returns the models in a `withFallbacks`, in the order in which they are asked; undefined for anything else. */
export function modelsInFallbacks(model: unknown): BaseChatModel[] | undefined {
  const { data } = fallbacksSchema.safeParse(model);
  return data && [data.runnable, ...data.fallbacks];
}

/** Returns LangChain's word for the kind of a chat model, such as `openai`; `model` if it has none. */
export function kindOfModel(model: unknown): string {
  return chatModelSchema.parse(unbound(model))._llmType?.() || "model";
}

/**
 * Tells whether a model has its own stream, and uses it. The `stream` of another model only wraps its `invoke`, at some cost.
 * LangChain compares a model with its base class. This function compares the classes that define the two methods, as the base
 * class may be from another copy.
 */
export function hasOwnStream(model: unknown): boolean {
  const asked = unbound(model);
  if (part(asked, "disableStreaming") === true) return false;
  const owner = ownerOf(asked, "_streamResponseChunks");
  return owner === undefined || owner !== ownerOf(asked, "generatePrompt");
}

/** Returns the prototype that defines a method. */
function ownerOf(object: unknown, method: string): object | undefined {
  if (typeof object !== "object" || object === null) return undefined;
  return Object.hasOwn(object, method) ? object : ownerOf(Object.getPrototypeOf(object), method);
}

type Tools = Parameters<NonNullable<BaseChatModel["bindTools"]>>[0];
type Asked = Pick<BaseChatModel, "invoke" | "stream">;

const bindingSchema = z.object({
  constructor: z.custom<new (fields: object) => Asked>((value) => typeof value === "function"),
  bound: z.custom<BaseChatModel>((value) => typeof value === "object"),
  lc_kwargs: z.looseObject({}),
});

/**
 * Returns a model with native tools and options of its calls. Settings that are bound to the model stay, such as those of
 * `withConfig`.
 *
 * @throws InvalidOptionError when there are tools, and the model has no native ones.
 */
export function withTools(model: BaseChatModel, tools: Tools, options?: BaseChatModelCallOptions): Asked {
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

type OnFailedAttempt = (error: unknown) => unknown;

const callerSchema = z.object({
  maxRetries: z.number(),
  onFailedAttempt: z.custom<OnFailedAttempt>((value) => typeof value === "function"),
});

/** LangChain's `AsyncCaller` in a model. The retries of a model without one cannot be switched off. */
type Caller = z.infer<typeof callerSchema>;

/** Returns the number of retries for which a model is set; undefined if it does not say. */
export function ownRetries(model: object): number | undefined {
  return callersOf(model)[0]?.maxRetries;
}

const isAsking = new AsyncLocalStorage<true>();

/** Tells whether an agent is asking a model now. Everybody else gets from its package what they got before. */
export function isAskedByAgent(): boolean {
  return isAsking.getStore() === true;
}
const prepared = new WeakSet<object>();

/** Prepares a model for the calls of Glassloop, once. */
const prepareModel = perModel((model) => {
  dropOwnRetries(model, isAskedByAgent);
  hearDroppedPromise(model);
});

/**
 * Asks a model once. LangChain retries deep inside a model, without telling, which would multiply the retries of an agent.
 * While Glassloop asks a model, the model does not retry. Calls of everybody else retry as before.
 */
export function askOnce<Request, Answer>(
  model: object,
  ask: (request: Request) => Promise<Answer>,
  request: Request,
): Promise<Answer> {
  prepareModel(model);
  for (const caller of callersOf(model)) {
    if (prepared.has(caller)) continue;
    prepared.add(caller);
    const { onFailedAttempt } = caller;
    caller.onFailedAttempt = (error) => {
      if (isAskedByAgent()) throw error;
      return onFailedAttempt.call(caller, error);
    };
  }
  return isAsking.run(true, ask, request);
}

/** Returns the callers in a model. `ChatOpenAI` has one for each of its two APIs, too. */
const callersOf = perModel((model) =>
  [model, part(model, "completions"), part(model, "responses")].map((owner) => part(owner, "caller")).filter(isCaller),
);

function part(owner: unknown, name: string): unknown {
  return isRecord(owner) ? owner[name] : undefined;
}

function isCaller(value: unknown): value is Caller {
  return callerSchema.safeParse(value).success;
}
