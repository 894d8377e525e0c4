import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { InvalidOptionError, SetupError } from "../../base/errors.js";
import type { Io } from "../io.js";
import { UsageError } from "../program/exit-codes.js";

interface ModelSettings {
  readonly baseUrl: string | undefined;
  readonly temperature: number | undefined;
  readonly maxReplyTokens: number | undefined;
  readonly streaming: boolean | undefined;
}

/** Loads a model by its name. LangChain's package for it is imported only now. */
export async function loadNamedModel(
  name: string,
  { baseUrl, ...settings }: ModelSettings,
  env: Io["env"],
): Promise<BaseChatModel> {
  if (baseUrl !== undefined && name === "offline") {
    throw new InvalidOptionError(
      "baseUrl",
      'this is the server of a model: name that with --model, such as --model "llama3.2".',
    );
  }
  const { loadModel } = await import("../../model/models.js");
  try {
    return await loadModel(name, { env, ...settings, ...(baseUrl === undefined ? {} : { baseUrl }) });
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
