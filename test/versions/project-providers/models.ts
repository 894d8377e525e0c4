import { ChatAnthropic } from "@langchain/anthropic";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { loadModel } from "glassloop";
import { z } from "zod";

export const none = { apiKey: "k12345678", maxRetries: 0 };

/** Makes a model stream or not. Some packages drop the option of this name. */
export const set = <Model extends BaseChatModel>(model: Model, streaming: boolean): Model =>
  Object.assign(model, { disableStreaming: !streaming });

/** A model by its name, at a path of the server's address. Its replies are in one piece unless they are to be streamed. */
export const load =
  (name: string, path = "") =>
  (url: string, streaming = false) =>
    loadModel(name, { ...none, baseUrl: `${url}${path}`, ...(!streaming && { streaming: false }) });

export const claude = (url: string, streaming: boolean, options = {}) =>
  set(new ChatAnthropic({ ...none, model: "claude-sonnet-4-5", anthropicApiUrl: url, ...options }), streaming);

/** A model of OpenAI's Responses API. */
export const gptOfResponses = (url: string, streaming = false) =>
  new ChatOpenAI({
    ...none,
    model: "gpt-5",
    useResponsesApi: true,
    disableStreaming: !streaming,
    configuration: { baseURL: `${url}/v1` },
  });

export const look = tool(async ({ q }) => `5 for ${q}`, {
  name: "look",
  description: "Looks.",
  schema: z.object({ q: z.string() }),
});

export const thread = { configurable: { thread_id: "t" } };
