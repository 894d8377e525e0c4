import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { z } from "zod";
import { kindOfModel } from "../langgraph/chat-models.js";

/** Makes a model ask for each reply in one piece. Most packages drop the option `disableStreaming`. */
export function inOnePiece(model: BaseChatModel): BaseChatModel {
  model.disableStreaming = true;
  const kind = kindOfModel(model);
  if (kind === "mistral_ai") withoutSignal(model);
  if (kind === "ollama") withWholeReplies(model);
  return model;
}

/** Mistral's package streams each call that has a signal, because it cannot abort a request that does not stream. */
function withoutSignal(model: BaseChatModel): void {
  const generate = model._generate;
  model._generate = (messages, { signal, ...options }, manager) => generate.call(model, messages, options, manager);
}

const ollamaSchema = z.object({
  client: z.custom<{ chat(request: object): Promise<unknown> }>((value) => typeof value === "object"),
});

/** Ollama's package always streams, and reads a whole reply as a stream of one piece. */
function withWholeReplies(model: BaseChatModel): void {
  const { client } = ollamaSchema.parse(model);
  const chat = client.chat;
  client.chat = async (request) => [await chat.call(client, { ...request, stream: false })];
}
