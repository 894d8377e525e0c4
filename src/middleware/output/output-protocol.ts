import { tool } from "@langchain/core/tools";
import { paragraphs } from "../../base/paragraphs.js";
import type { Addition, ProposedRequest } from "../../core/parts/plugin.js";
import type { FencedProtocol, Protocol } from "../../core/parts/protocol.js";
import type { ParsedReply, Reply } from "../../core/state/decision.js";
import { strictSchema } from "../../protocols/prompt/grammars.js";
import { jsonPieces } from "../../protocols/reading/json-pieces.js";
import { cutReason } from "../../provider-forms/finish-reason.js";
import { opening } from "./answer-place.js";
import type { OutputFormat } from "./output-format.js";

type Tools = Parameters<Protocol["parse"]>[1];

/**
 * Returns a protocol that reads JSON in the place of the answer as the answer, if it fits the output. The protocol itself
 * might read it as a call. Calls of the output tool are answers, too. All else is read as before.
 */
export function outputProtocol(protocol: Protocol, output: OutputFormat): Protocol {
  const { name, options, stop, nativeTools } = protocol;
  return {
    name,
    options,
    stop,
    nativeTools,
    render: (view) => protocol.render(view),
    labelsIn: (text, tools) => protocol.labelsIn?.(text, tools) ?? [],
    parse: (reply, tools) => calledOutput(protocol, output, reply, tools) ?? readOutput(protocol, output, reply, tools),
    reader: protocol.reader?.bind(protocol),
    correct: protocol.correct?.bind(protocol),
    exampleReply: (tools) => protocol.exampleReply?.(tools),
    exampleAnswer: exampleAnswer(protocol, output),
  };
}

/** Returns the text that asks for an answer in the form of the output. */
export function outputInstructions(
  { exampleAnswer, nativeTools }: FencedProtocol,
  { json, example }: OutputFormat,
): string {
  const shown = nativeTools ? example : exampleAnswer;
  return paragraphs(
    `The final answer must be JSON that fits this JSON schema, with no words around it:\n${JSON.stringify(json)}`,
    example && shown ? `Such an answer looks like this:\n${shown}` : "",
  );
}

/** Puts an example of the output into the example of an answer. The protocol tells what its answer is there. */
function exampleAnswer(protocol: Protocol, { example }: OutputFormat): string | undefined {
  const { exampleAnswer = "", nativeTools } = protocol;
  if (nativeTools) return `the answer to the question, as JSON${example ? `, such as ${example}` : ""}`;
  const read = protocol.parse(exampleAnswer, []);
  if (example === undefined || read.kind !== "finish") return protocol.exampleAnswer;
  const quoted = JSON.stringify(read.output);
  return exampleAnswer.replace(exampleAnswer.includes(quoted) ? quoted : read.output, () => example);
}

/** Reads calls of the output tool. Beside other calls they come too early: the model has not seen the results yet. */
function calledOutput(protocol: Protocol, output: OutputFormat, reply: Reply | string, tools: Tools) {
  if (typeof reply === "string" || cutReason(reply.finishReason)) return undefined;
  const isOutput = ({ name }: { readonly name?: string }) => name === output.toolName;
  const answers = [
    ...reply.toolCalls.filter(isOutput).map(({ args }) => JSON.stringify(args)),
    ...reply.invalidToolCalls.filter(isOutput).map(({ args = "" }) => args),
  ];
  const [first] = answers;
  if (first === undefined) return undefined;
  const toolCalls = reply.toolCalls.filter((call) => !isOutput(call));
  const invalidToolCalls = reply.invalidToolCalls.filter((call) => !isOutput(call));
  if (toolCalls.length + invalidToolCalls.length > 0) {
    return protocol.parse({ ...reply, toolCalls, invalidToolCalls }, tools);
  }
  const thought = reply.text.trim();
  const fitting = answers.find((answer) => output.read(answer).kind === "fits");
  return { kind: "finish" as const, output: fitting ?? first, ...(thought && { thought }) };
}

/** A placeholder for JSON, while the protocol is asked whether the JSON is in the place of the answer. */
const stand = "4711472";

/** Reads JSON that is meant as the output, if the protocol says that it is in the place of the answer. */
function readOutput(protocol: Protocol, output: OutputFormat, reply: Reply | string, tools: Tools): ParsedReply {
  const text = typeof reply === "string" ? reply : reply.text;
  for (const { value, start, end } of jsonPieces(text, { nested: true })) {
    if (!output.isMeant(value)) continue;
    const asked = `${text.slice(0, start).replace(opening, "")}${stand}${text.slice(end).replace(closing, "")}`;
    const read = protocol.parse(typeof reply === "string" ? asked : { ...reply, text: asked }, tools);
    if (read.kind !== "finish" || !read.output.includes(stand) || /[[{]/.test(read.output)) continue;
    const { cut, ...answer } = read;
    return { ...answer, output: JSON.stringify(value) };
  }
  const read = protocol.parse(reply, tools);
  const cut = typeof reply === "string" ? undefined : cutReason(reply.finishReason);
  return read.kind === "unparseable" && cut && output.isBegun(text)
    ? { kind: "finish", output: text.trim(), cut }
    : read;
}

/** A fence that closes. */
const closing = /^\s*```/;

/**
 * Returns what a model is given for an output. A text protocol asks for JSON in its prompt. A native one gives the model a
 * response format if it takes one together with tools, and otherwise a tool whose call is the answer.
 */
export function outputRequest(
  output: OutputFormat,
  { protocol, abilities: { nativeTools, responseFormat } }: ProposedRequest,
): Addition {
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
