import type { AIMessage } from "@langchain/core/messages";
import { z } from "zod";
import { parsedJson } from "../base/attempted.js";
import { isRecord } from "../base/is-record.js";
import { withoutData } from "../content/content.js";

const text = z.string();
const by = z.literal("provider");
const status = z.enum(["success", "error"]);

export const providerStepSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("action"), id: text, tool: text, toolInput: z.record(text, z.unknown()), by }),
  z.object({ type: z.literal("observation"), id: text, text, status, by }),
]);

/**
 * What a tool of the provider did for a reply: its call, or the result. The ids are those of the provider. Gemini gives none, so
 * there they begin with the id of the reply. A result may stand in a later reply than its call, as a provider pauses long replies.
 */
export type ProviderStep = z.infer<typeof providerStepSchema>;

/** What stays beside a message whose blocks were left out, as `providerSteps`. It still counts for `taint`. */
const keptSchema = z.array(providerStepSchema).catch([]);

/** The tools whose calls a provider leaves to the program. */
export const runsInProgram =
  /^(?:function|custom|bash|text_editor|str_replace|computer|memory|local_shell|shell|apply_patch)(?:_|$)/;

type Given = Pick<AIMessage, "content" | "additional_kwargs" | "response_metadata">;
type Block = Readonly<Record<string, unknown>>;

/**
 * Reads what tools of the provider did, in a message of a model: in blocks of Anthropic and Gemini, in items of OpenAI's Responses
 * API, in the searches of Gemini.
 *
 * @param reply The id of the reply.
 */
export function providerSteps({ content, additional_kwargs, response_metadata }: Given, reply: string): ProviderStep[] {
  const { providerSteps: kept, groundingMetadata } = response_metadata;
  if (kept) return keptSchema.parse(kept);
  const blocks: readonly Block[] = typeof content === "string" ? [] : content;
  const { tool_outputs: items } = additional_kwargs;
  return [
    ...blocks.flatMap((block, n) => stepsOfBlock(block, n, blocks, reply)),
    ...(Array.isArray(items) ? items.flatMap(stepsOfItem) : []),
    ...stepsOfSearch(fieldsOf(groundingMetadata), `${reply}-search`),
  ];
}

function stepsOfBlock(block: Block, n: number, blocks: readonly Block[], reply: string): ProviderStep[] {
  const { type, id, name, tool_use_id: call, content, is_error: isError } = block;
  if (type === "server_tool_use" || type === "mcp_tool_use") return [called(id, name, inputOf(block, blocks))];
  if (typeof call === "string" && String(type).endsWith("_tool_result"))
    return [returned(call, content, isError === true || "error_code" in fieldsOf(content))];
  const { executableCode: code, codeExecutionResult: result } = block;
  if (code === undefined && result === undefined) return [];
  const codes = blocks.slice(0, n + 1).filter(({ executableCode }) => executableCode !== undefined);
  const place = `${reply}-code-${codes.length}`;
  if (code) return [called(place, "codeExecution", code)];
  const { output, outcome } = fieldsOf(result);
  return [returned(place, output, outcome !== "OUTCOME_OK")];
}

/** Returns the input of a call. LangChain leaves the pieces of a streamed one in blocks of their own. */
function inputOf({ input, index }: Block, blocks: readonly Block[]): unknown {
  if (typeof input !== "string") return input;
  const pieces = blocks.filter((block) => block.type === "input_json_delta" && block.index === index);
  return [input, ...pieces.map((piece) => piece.input)].join("");
}

function stepsOfItem(given: unknown): ProviderStep[] {
  const { type, id, name, status, action, arguments: args, ...item } = fieldsOf(given);
  const tool = /^(\w+)_call$/.exec(String(type))?.[1];
  if (tool === undefined || runsInProgram.test(tool)) return [];
  const { results, outputs, output, result, error = null, ...input } = item;
  const found = results ?? outputs ?? output ?? result ?? error ?? fieldsOf(action).sources ?? status;
  const isError = status === "failed" || error !== null;
  return [called(id, name ?? tool, action ?? args ?? input), returned(id, found, isError)];
}

function stepsOfSearch({ webSearchQueries: queries, groundingChunks: chunks }: Block, id: string): ProviderStep[] {
  if (queries === undefined && chunks === undefined) return [];
  const found = Array.isArray(chunks) ? chunks.flatMap((chunk) => Object.values(fieldsOf(chunk))) : [];
  return [called(id, "googleSearch", { queries }), returned(id, found, false)];
}

function called(id: unknown, tool: unknown, input: unknown): ProviderStep {
  const toolInput = fieldsOf(typeof input === "string" ? (parsedJson(input) ?? { input }) : input);
  return { type: "action", id: String(id), tool: String(tool), toolInput, by: "provider" };
}

function returned(id: unknown, result: unknown, isError: boolean): ProviderStep {
  const status = isError ? "error" : "success";
  return { type: "observation", id: String(id), text: inWords(result), status, by: "provider" };
}

/** Writes a result in words: a page of the web by its title and address, and other data as JSON without files. */
function inWords(result: unknown): string {
  if (Array.isArray(result)) return result.map(inWords).join("\n");
  const { text, logs = text, error_code: error = logs, title, uri, url = uri } = fieldsOf(result);
  if (typeof error === "string") return error;
  if (typeof url === "string") return [title, url].filter(Boolean).join(" ");
  const found = withoutData("", result);
  return typeof found === "string" ? found : (JSON.stringify(found, withoutData) ?? "");
}

function fieldsOf(value: unknown): Block {
  return isRecord(value) ? value : {};
}
