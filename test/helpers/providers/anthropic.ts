import { z } from "zod";
import { halves, type Provider, type ProviderRequest, refuse, sent } from "./provider-server.js";
import { refusedCalls, refusedTool, rules } from "./refusals.js";

const blockSchema = z.looseObject({ type: z.string(), id: z.string().optional(), tool_use_id: z.string().optional() });
type Block = z.infer<typeof blockSchema>;

/** A reply of Anthropic's API. `stop` is its stop reason, if the blocks do not say it. */
export interface AnthropicReply {
  readonly content: readonly Block[];
  readonly stop?: string;
}

const messageSchema = z.strictObject({
  role: z.string(),
  content: z
    .union([z.string(), z.array(blockSchema)])
    .transform((content): Block[] => (typeof content === "string" ? [{ type: "text", text: content }] : content)),
});
type Message = z.infer<typeof messageSchema>;

/** The messages of a request of Anthropic's API. */
export function anthropicMessages(body: ProviderRequest): Message[] {
  return z.array(messageSchema).parse(body.messages);
}

/** The fields of each type of block, besides `type` and `cache_control`. */
const fields: Readonly<Record<string, readonly string[]>> = {
  text: ["text", "citations"],
  thinking: ["thinking", "signature"],
  redacted_thinking: ["data"],
  tool_use: ["id", "name", "input", "caller"],
  server_tool_use: ["id", "name", "input", "caller"],
  web_search_tool_result: ["tool_use_id", "content", "caller"],
  bash_code_execution_tool_result: ["tool_use_id", "content"],
  tool_result: ["tool_use_id", "content", "is_error"],
  image: ["source"],
  document: ["source", "title", "context", "citations"],
};
const usage = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 3, cache_creation_input_tokens: 2 };

/** Anthropic's API, with the rules of a model that thinks if the request turns that on. */
export const anthropic: Provider<AnthropicReply> = {
  streamType: "text/event-stream",
  streams: (body) => body.stream,
  check(body) {
    const messages = anthropicMessages(body);
    const ids: string[] = [];
    const wrong = refusedTool(rules.anthropic, anthropicTools(body));
    if (wrong) refuse(`tools.0.custom: ${wrong}`);
    for (const [index, message] of messages.entries()) checkMessage(messages, message, index, ids);
    if (messages[0]?.role !== "user") refuse('messages: first message must use the "user" role');
    const last = messages.at(-1);
    if (last?.role === "assistant" && !last.content.some(({ type }) => type === "server_tool_use"))
      refuse("This model does not support assistant message prefill. The conversation must end with a user message.");
    if (isThinking(body)) checkThoughts(messages);
  },
  whole,
  stream: streamed,
  error: (message) => ({ type: "error", error: { type: "invalid_request_error", message } }),
};

const toolSchema = z.object({ name: z.string(), input_schema: z.record(z.string(), z.unknown()).optional() });

/** The tools of a request. Those of the provider have no schema. */
function anthropicTools({ tools = [] }: ProviderRequest) {
  return z
    .array(toolSchema)
    .parse(tools)
    .map(({ name, input_schema: parameters }) => ({ name, parameters }));
}

function checkMessage(messages: readonly Message[], { role, content }: Message, index: number, ids: string[]): void {
  if (role !== "user" && role !== "assistant") refuse(`messages.${index}.role: Input should be 'user' or 'assistant'`);
  if (content.length === 0) refuse(`messages.${index}: all messages must have non-empty content`);
  for (const block of content) checkBlock(block, `messages.${index}`, ids);
  const neighbour = role === "user" ? messages[index - 1] : messages[index + 1];
  const [calls, results] = role === "user" ? [neighbour?.content ?? [], content] : [content, neighbour?.content ?? []];
  const made = calls.filter(({ type }) => type === "tool_use").map(({ id }) => id);
  const end = results.findIndex(({ type }) => type !== "tool_result");
  const answered = results.slice(0, end === -1 ? undefined : end).map(({ tool_use_id: id }) => id);
  if (role === "assistant") checkSearches(messages, index);
  if (role === "assistant" && made.some((id) => !answered.includes(id)))
    refuse(`messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after`);
  if (role === "user" && answered.some((id) => !made.includes(id)))
    refuse(`messages.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks`);
}

/** Checks that each call of the server's own tools has its result, in the message or in those right after it of the same role. */
function checkSearches(messages: readonly Message[], index: number): void {
  const others = messages.slice(index).findIndex(({ role }) => role !== "assistant");
  if (others === -1) return;
  const blocks = messages.slice(index, index + others).flatMap(({ content }) => content);
  for (const { type, id, name } of messages[index]?.content ?? [])
    if (type === "server_tool_use" && !blocks.some(({ tool_use_id: call }) => call === id))
      refuse(`messages.${index}: \`${name}\` tool use with id ${id} was found without a corresponding result block`);
}

function checkBlock(block: Block, place: string, ids: string[]): void {
  const { type, id, text, signature, input, content } = block;
  const allowed = fields[type] ?? refuse(`${place}: Input tag '${type}' does not match any of the expected tags`);
  for (const field of Object.keys(block))
    if (!["type", "cache_control", ...allowed].includes(field))
      refuse(`${place}.${type}.${field}: Extra inputs are not permitted`);
  if (type === "text" && !String(text).trim()) refuse("messages: text content blocks must contain non-whitespace text");
  if (type === "tool_result" && Array.isArray(content))
    for (const one of content) checkBlock(blockSchema.parse(one), place, ids);
  if (type === "thinking" && !String(signature).startsWith("SIG")) refuse(`${place}: Invalid \`signature\``);
  if (id === undefined) return;
  const wrong = refusedCalls(rules.anthropic, [{ id, name: String(block.name) }], ids);
  if (wrong) refuse(`${place}.tool_use: ${wrong}`);
  ids.push(id);
  if (typeof input !== "object" || input === null)
    refuse(`${place}.tool_use.input: Input should be a valid dictionary`);
}

function isThinking({ thinking }: ProviderRequest): boolean {
  return z.object({ type: z.literal("enabled") }).safeParse(thinking).success;
}

/** Checks that the messages of a tool loop which goes on begin with what the model thought. */
function checkThoughts(messages: readonly Message[]): void {
  const asked = messages.findLastIndex(
    ({ role, content }) => role === "user" && !content.some(({ type }) => type === "tool_result"),
  );
  for (const [index, { role, content }] of messages.entries())
    if (
      index > asked &&
      role === "assistant" &&
      messages[index - 1]?.role === "user" &&
      !/thinking$/.test(content[0]?.type ?? "")
    )
      refuse(
        `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${content[0]?.type}\``,
      );
}

function whole({ content, stop }: AnthropicReply, body: ProviderRequest): object {
  const { model } = body;
  const id = `msg_${anthropicMessages(body).length}`;
  const stop_reason = stop ?? (content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn");
  return { id, type: "message", role: "assistant", model, content, stop_reason, stop_sequence: null, usage };
}

function* streamed(reply: AnthropicReply, body: ProviderRequest): Generator<string> {
  const event = (type: string, data: object) => sent({ type, ...data }, type);
  const message = whole(reply, body);
  yield event("message_start", {
    message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
  });
  for (const [index, block] of reply.content.entries()) {
    yield event("content_block_start", { index, content_block: begunBlock(block) });
    for (const delta of deltasOf(block)) yield event("content_block_delta", { index, delta });
    yield event("content_block_stop", { index });
  }
  const { stop_reason } = z.object({ stop_reason: z.string() }).parse(message);
  yield event("message_delta", { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } });
  yield event("message_stop", {});
}

function begunBlock(block: Block): object {
  if (block.type === "thinking") return { type: "thinking", thinking: "", signature: "" };
  if (block.type === "text") return { type: "text", text: "" };
  return block.type.endsWith("tool_use") ? { ...block, input: {} } : block;
}

function* deltasOf({ type, thinking, signature, text, input, citations }: Block): Generator<object> {
  if (type === "thinking") {
    for (const piece of halves(String(thinking))) yield { type: "thinking_delta", thinking: piece };
    yield { type: "signature_delta", signature };
  }
  if (type === "text") for (const piece of halves(String(text))) yield { type: "text_delta", text: piece };
  for (const citation of z.array(z.unknown()).default([]).parse(citations)) yield { type: "citations_delta", citation };
  if (type.endsWith("tool_use"))
    for (const partial_json of halves(JSON.stringify(input))) yield { type: "input_json_delta", partial_json };
}
