import type { BaseChatModel, BaseChatModelCallOptions } from "@langchain/core/language_models/chat_models";
import { type StructuredToolInterface, tool } from "@langchain/core/tools";
import type { FencedProtocol } from "../../core/parts/protocol.js";
import { refusesResponseFormat } from "../../model/model-errors.js";
import { modelAbilities } from "../../model/models.js";
import { strictSchema } from "../../protocols/prompt/grammars.js";
import type { OutputFormat } from "./output-format.js";
import { outputInstructions } from "./output-protocol.js";

/** What a model is given so that its answer has the form of the output. */
export interface OutputRequest {
  readonly instructions: string;
  /** The JSON schema that the model gets beside its messages, for the count of its tokens. It may be empty. */
  readonly definition: string;
  /** The output tool, if the model needs it. It is never run: its call is the answer. */
  readonly tools: readonly StructuredToolInterface[];
  /** The options of the model call, with a response format. Left out if the model is asked without one. */
  readonly options?: BaseChatModelCallOptions & { readonly response_format: Record<string, unknown> };
}

/** The models whose servers refuse a response format. */
const withoutResponseFormat = new WeakSet<BaseChatModel>();

/**
 * Returns what a model is given for an output. A text protocol asks for JSON in its prompt. A native one gives the model a
 * response format if it takes one together with tools, and otherwise a tool whose call is the answer.
 */
export function outputRequest(
  output: OutputFormat | undefined,
  protocol: FencedProtocol,
  model: BaseChatModel,
): OutputRequest {
  if (output === undefined) return { instructions: "", definition: "", tools: [] };
  const { toolName: name, object: schema } = output;
  const { nativeTools, responseFormat } = modelAbilities(model);
  const instructions = outputInstructions(protocol, output);
  if (!protocol.nativeTools || !nativeTools) return { instructions, definition: "", tools: [] };
  const definition = JSON.stringify(schema);
  if (responseFormat && !withoutResponseFormat.has(model)) {
    return { instructions, definition, tools: [], options: { response_format: formatOf(output) } };
  }
  const asking = `When you know the answer, call the tool ${name} with it. Do not answer in plain words.`;
  const answering = tool(() => "", { name, description: toolDescription, schema });
  return { instructions: asking, definition, tools: [answering] };
}

const toolDescription =
  "Gives the final answer to the question. Call it when you know the answer, with no other call beside it.";

function formatOf({ object }: OutputFormat): Record<string, unknown> {
  const strict = strictSchema(object);
  return {
    type: "json_schema",
    json_schema: { name: "answer", strict: strict !== undefined, schema: strict ?? object },
  };
}

/** Tells whether a server refused the response format of a request. The next request to the model has none. */
export function isRefused({ options }: OutputRequest, model: BaseChatModel, error: unknown): boolean {
  if (options === undefined || !refusesResponseFormat(error)) return false;
  withoutResponseFormat.add(model);
  return true;
}
