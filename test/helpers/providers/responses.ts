import { z } from "zod";
import { type Provider, type ProviderRequest, refuse, sent } from "./provider-server.js";
import { refusedCalls, refusedTool, rules } from "./refusals.js";

/** A reply of OpenAI's Responses API: the items of its output. */
export interface ResponsesReply {
  readonly id: string;
  readonly output: readonly z.infer<typeof itemSchema>[];
}

const itemSchema = z.looseObject({
  type: z.string().default("message"),
  id: z.string().optional(),
  role: z.string().optional(),
  call_id: z.string().optional(),
});
const toolsSchema = z
  .array(
    z.looseObject({ name: z.string().default("hosted"), parameters: z.record(z.string(), z.unknown()).optional() }),
  )
  .default([]);
type Item = z.infer<typeof itemSchema>;

/** The items of a request of the Responses API. */
export function responsesInput(body: ProviderRequest): Item[] {
  return z.array(itemSchema).parse(body.input);
}

/** The item of a thought. Only the server can read `encrypted_content`. */
export function reasoning(id: string, thought?: string): Item {
  const summary = thought === undefined ? [] : [{ type: "summary_text", text: thought }];
  return { type: "reasoning", id: `rs_${id}`, summary, encrypted_content: `ENC${id}` };
}

export function spoken(id: string, text: string): Item {
  const content = [{ type: "output_text", text, annotations: [], logprobs: [] }];
  return { type: "message", id: `msg_${id}`, role: "assistant", status: "completed", content };
}

export function called(id: string, name: string, text: string): Item {
  return { type: "function_call", id: `fc_${id}`, call_id: `call_${id}`, name, arguments: text, status: "completed" };
}

/** OpenAI's Responses API with a model that thinks: a call that names its item stands behind its thought. */
export const responses: Provider<ResponsesReply> = {
  streamType: "text/event-stream",
  streams: (body) => body.stream,
  check(body) {
    const items = responsesInput(body);
    const declared = toolsSchema.parse(body.tools).filter(({ type }) => type === "function");
    const wrong = refusedTool(rules.openai, declared);
    if (wrong) refuse(wrong);
    for (const [index, item] of items.entries()) checkItem(items, item, index);
  },
  whole: envelope,
  stream: streamed,
  error: (message) => ({ error: { message, type: "invalid_request_error", param: "input", code: null } }),
};

const callRules = { ...rules.openai, ids: /^.{1,64}$/ };

function checkItem(items: readonly Item[], item: Item, index: number): void {
  const { type, id, call_id } = item;
  const has = (wanted: string, found: readonly Item[]) =>
    found.some((other) => other.type === wanted && other.call_id === call_id);
  const wrong =
    type === "function_call" && refusedCalls(callRules, [{ id: call_id ?? "", name: String(item.name) }], []);
  if (wrong) refuse(`input[${index}]: ${wrong}`);
  if (items.findIndex((other) => other.type === type && other.call_id === call_id) < index && call_id !== undefined)
    refuse(`Duplicate item with call_id ${call_id}.`);
  if (type === "reasoning" && !isOutput(items[index + 1]))
    refuse(`Item '${id}' of type 'reasoning' was provided without its required following item.`);
  if (type === "function_call" && !has("function_call_output", items))
    refuse(`No tool output found for function call ${call_id}.`);
  if (type === "function_call_output" && !has("function_call", items.slice(0, index)))
    refuse(`No tool call found for function call output with call_id ${call_id}.`);
  if (type === "function_call" && id !== undefined && !followsThought(items, index))
    refuse(`Item '${id}' of type 'function_call' was provided without its required 'reasoning' item.`);
}

function isOutput(item: Item | undefined): boolean {
  return (
    item !== undefined && (item.type === "message" ? item.role === "assistant" : item.type !== "function_call_output")
  );
}

function followsThought(items: readonly Item[], index: number): boolean {
  const before = items.slice(0, index).findLast(({ type, role }) => type !== "function_call" && role !== "assistant");
  return before?.type === "reasoning";
}

function envelope({ id, output }: ResponsesReply, { model, tools }: ProviderRequest): object {
  return {
    id,
    object: "response",
    created_at: 1,
    status: "completed",
    model,
    output,
    tools: tools ?? [],
    instructions: null,
    parallel_tool_calls: true,
    metadata: {},
    error: null,
    incomplete_details: null,
    usage: {
      input_tokens: 10,
      output_tokens: 5,
      total_tokens: 15,
      input_tokens_details: { cached_tokens: 3 },
      output_tokens_details: { reasoning_tokens: 2 },
    },
  };
}

function* streamed(reply: ResponsesReply, body: ProviderRequest): Generator<string> {
  let sequence_number = 0;
  const event = (type: string, data: object) => sent({ type, sequence_number: sequence_number++, ...data }, type);
  const whole = envelope(reply, body);
  yield event("response.created", { response: { ...whole, status: "in_progress", output: [], usage: null } });
  for (const [output_index, item] of reply.output.entries()) {
    yield event("response.output_item.added", { output_index, item: begunItem(item) });
    for (const [type, data] of piecesOf(item)) yield event(type, { item_id: item.id, output_index, ...data });
    yield event("response.output_item.done", { output_index, item });
  }
  yield event("response.completed", { response: whole });
}

function begunItem(item: Item): object {
  if (item.type === "reasoning") return { ...item, summary: [], encrypted_content: undefined };
  if (item.type === "message") return { ...item, content: [], status: "in_progress" };
  return { ...item, arguments: "", status: "in_progress" };
}

const textsSchema = z
  .array(z.looseObject({ text: z.string(), annotations: z.array(z.unknown()).default([]) }))
  .default([]);

function* piecesOf(item: Item): Generator<[string, object]> {
  for (const [summary_index, { text }] of textsSchema.parse(item.summary).entries()) {
    const part = { type: "summary_text", text: "" };
    yield ["response.reasoning_summary_part.added", { summary_index, part }];
    yield ["response.reasoning_summary_text.delta", { summary_index, delta: text }];
  }
  for (const [content_index, { text, annotations }] of textsSchema.parse(item.content).entries()) {
    const part = { type: "output_text", text: "", annotations: [] };
    yield ["response.content_part.added", { content_index, part }];
    yield ["response.output_text.delta", { content_index, delta: text, logprobs: [] }];
    for (const [annotation_index, annotation] of annotations.entries())
      yield ["response.output_text.annotation.added", { content_index, annotation_index, annotation }];
  }
  if (item.type === "function_call") yield ["response.function_call_arguments.delta", { delta: item.arguments }];
}
