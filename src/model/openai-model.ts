import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { SetupError } from "../base/errors.js";
import { readableSettings } from "./readable-fetch.js";

export interface OpenAIModelOptions {
  /** The API key. If left out, LangChain reads OPENAI_API_KEY from the environment of the process. */
  readonly apiKey?: string;
  /** The address of an OpenAI-compatible server, usually ending in `/v1`. Default: the address of OpenAI. */
  readonly baseUrl?: string;
  readonly maxRetries: number;
  readonly temperature?: number | undefined;
  readonly maxReplyTokens?: number | undefined;
  readonly streaming?: boolean | undefined;
}

/**
 * Makes a chat model for OpenAI's chat completions API. Its errors have the server's words.
 *
 * @throws {SetupError} "missing-api-key" when there is neither a key nor a base URL.
 */
export async function openaiModel(name: string, options: OpenAIModelOptions): Promise<BaseChatModel> {
  const { temperature, maxReplyTokens } = options;
  const { ChatOpenAI } = await import("@langchain/openai");
  const make = (apiKey: string | undefined) =>
    new ChatOpenAI({
      model: name,
      apiKey,
      maxRetries: options.maxRetries,
      ...(temperature !== undefined && { temperature }),
      ...(maxReplyTokens !== undefined && { maxTokens: maxReplyTokens }),
      ...(options.streaming === false && { disableStreaming: true }),
      configuration: readableSettings({ baseURL: options.baseUrl }),
    });
  const model = make(options.apiKey);
  if (model.apiKey !== undefined) return model;
  if (options.baseUrl === undefined) throw new SetupError("missing-api-key", "OPENAI_API_KEY", "openai");
  return make("none");
}
