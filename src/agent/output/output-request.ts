import { tool } from "@langchain/core/tools";
import type { Output, OutputRequest } from "../../core/parts/answers.js";
import type { ModelAbilities } from "../../core/parts/models.js";
import type { FencedProtocol } from "../../core/parts/protocol.js";
import { strictSchema } from "../../protocols/prompt/grammars.js";
import type { OutputFormat } from "./output-format.js";
import { outputInstructions } from "./output-protocol.js";

/** Returns the form of the answers, as the nodes of an agent need it. */
export function outputOf(format: OutputFormat): Output {
  return {
    read: (answer) => format.read(answer),
    request: (protocol, abilities) => outputRequest(format, protocol, abilities),
  };
}

/**
 * Returns what a model is given for an output. A text protocol asks for JSON in its prompt. A native one gives the model a
 * response format if it takes one together with tools, and otherwise a tool whose call is the answer.
 */
function outputRequest(
  output: OutputFormat,
  protocol: FencedProtocol,
  { nativeTools, responseFormat }: ModelAbilities,
): OutputRequest {
  const { toolName: name, object: schema } = output;
  const instructions = outputInstructions(protocol, output);
  if (!protocol.nativeTools || !nativeTools) return { instructions, definition: "", tools: [] };
  const definition = JSON.stringify(schema);
  if (responseFormat) {
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
