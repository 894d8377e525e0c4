import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { z } from "zod";
import { InvalidOptionError, SetupError } from "../base/errors.js";
import { chatModelSchema } from "../langgraph/chat-models.js";

/** The class of a provider's chat model, with its package and its API key. */
export interface ModelClass {
  /** The LangChain package. Glassloop does not depend on it: a user of the provider installs it. */
  readonly packageName: string;
  readonly className: string;
  /** The environment variable with the key. If left out, the model needs no key. */
  readonly keyVariable?: string;
}

type Constructor = new (fields: Record<string, unknown>) => unknown;

const constructorSchema = z.custom<Constructor>((value) => typeof value === "function");

/**
 * Imports the class of a provider's chat model.
 *
 * @throws {SetupError} "missing-package" when its package is not installed, or cannot be imported.
 */
export async function importModelClass(provider: string, { packageName, className }: ModelClass): Promise<Constructor> {
  const module = await importPackage(provider, packageName);
  const found = z.object({ [className]: constructorSchema }).safeParse(module).data?.[className];
  if (found !== undefined) return found;
  throw new InvalidOptionError("model", `${packageName} has no ${className}; update it: npm install ${packageName}`);
}

async function importPackage(provider: string, packageName: string): Promise<unknown> {
  try {
    // Bundlers let it be: the package is loaded from where the program runs.
    return await import(/* webpackIgnore: true */ /* @vite-ignore */ packageName);
  } catch (cause) {
    throw new SetupError("missing-package", packageName, `Models of ${provider}`, { cause });
  }
}

/**
 * Makes a model of a provider's class. The package looks for a key at this moment, and has its own error for a missing
 * key.
 *
 * @throws {SetupError} "missing-api-key" when the package finds no key.
 */
export function makeModel(
  provider: string,
  { keyVariable }: ModelClass,
  Model: Constructor,
  fields: Record<string, unknown>,
): BaseChatModel {
  try {
    return chatModelSchema.parse(new Model(fields));
  } catch (cause) {
    const aboutKey = keyVariable !== undefined && /api.?key|credential/i.test(String(cause));
    throw aboutKey ? new SetupError("missing-api-key", keyVariable, provider, { cause }) : cause;
  }
}
