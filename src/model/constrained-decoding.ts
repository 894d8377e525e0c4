import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { z } from "zod";
import { InvalidOptionError } from "../base/errors.js";
import type { Protocol, ReplyGrammar } from "../core/parts/protocol.js";
import type { ToolSpec } from "../tool-inputs/tool-spec.js";

/**
 * The servers that can force a model to keep a format while it decodes. Each has its own request field for the format.
 */
export const decodingServers = ["llama.cpp", "vllm", "openai"] as const;
export type DecodingServer = (typeof decodingServers)[number];

const option = "modelCalls.constrainedDecoding";

/**
 * Returns the request fields that force the model to keep the format of the protocol. For llama.cpp the field is
 * `grammar`, for vLLM `structured_outputs`. For OpenAI it is `response_format` with a JSON schema, for the structured
 * chat protocol only.
 *
 * @throws InvalidOptionError when the protocol has no grammar, or the server does not take its kind of grammar.
 */
export function grammarFields(
  server: DecodingServer,
  protocol: Protocol,
  tools: readonly ToolSpec[],
): Record<string, unknown> {
  const grammar = protocol.grammar?.(tools);
  if (grammar === undefined) {
    throw new InvalidOptionError(option, `the protocol "${protocol.name}" has no grammar; use "react".`);
  }
  return server === "vllm"
    ? vllmFields(grammar)
    : grammar.kind === "gbnf"
      ? gbnfFields(server, grammar.gbnf)
      : jsonFields(grammar.schema);
}

function vllmFields(grammar: ReplyGrammar): Record<string, unknown> {
  return { structured_outputs: grammar.kind === "gbnf" ? { grammar: grammar.gbnf } : { json: grammar.schema } };
}

function gbnfFields(server: DecodingServer, grammar: string): Record<string, unknown> {
  if (server === "llama.cpp") return { grammar };
  throw new InvalidOptionError(option, '"openai" takes a JSON schema only; use the "structured-chat" protocol.');
}

function jsonFields(schema: Record<string, unknown>): Record<string, unknown> {
  return { response_format: { type: "json_schema", json_schema: { name: "reply", strict: true, schema } } };
}

const openaiModelSchema = z.object({
  constructor: z.custom<new (fields: Record<string, unknown>) => BaseChatModel>((value) => typeof value === "function"),
  modelKwargs: z.record(z.string(), z.unknown()),
  lc_kwargs: z.record(z.string(), z.unknown()),
});

/** The models with more fields, by the models that they were made of. */
const held = new WeakMap<BaseChatModel, { readonly fields: object; readonly model: BaseChatModel }>();

/**
 * Returns the same model with more fields in each request.
 *
 * @throws InvalidOptionError when the model does not come from `@langchain/openai`. Only that package takes such
 *   fields.
 */
export function withRequestFields(model: BaseChatModel, fields: Readonly<Record<string, unknown>>): BaseChatModel {
  const known = held.get(model);
  if (known?.fields === fields) return known.model;
  const { data } = openaiModelSchema.safeParse(model);
  if (data === undefined) {
    throw new InvalidOptionError(option, "this model takes no grammar; use a model of @langchain/openai.");
  }
  const made = new data.constructor({ ...data.lc_kwargs, modelKwargs: { ...data.modelKwargs, ...fields } });
  held.set(model, { fields, model: made });
  return made;
}
