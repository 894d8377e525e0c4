import { z } from "zod";
import { halves, type Provider, type ProviderRequest, refuse, sent } from "./provider-server.js";
import { refusedCalls, refusedTool, rules } from "./refusals.js";

/** A reply of chat completions. `more` are fields of its message that only some servers know, such as `reasoning_content`. */
export interface ChatReply {
  readonly content?: string | null | readonly object[];
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly args: string }[];
  readonly more?: Readonly<Record<string, string>>;
}

const callSchema = z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.unknown() }) });
const messageSchema = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.null(), z.array(z.looseObject({ type: z.string() }))]).optional(),
  name: z.string().optional(),
  tool_call_id: z.string().optional(),
  tool_calls: z.array(callSchema).optional(),
});
export type ChatMessage = z.infer<typeof messageSchema>;

/** The messages of a request of chat completions. */
export function chatMessages(body: ProviderRequest): ChatMessage[] {
  return z.array(messageSchema).parse(body.messages);
}

/** What a server of chat completions has of its own. */
interface Dialect {
  /** What it refuses in tools and calls. Default: what OpenAI refuses. */
  readonly rules?: (typeof rules)[keyof typeof rules];
  /** True if it takes only texts in tool messages. */
  readonly texts?: boolean;
  /** The fields of assistant messages that it knows besides OpenAI's. `undefined` means all. */
  readonly fields?: readonly string[];
  /** The block types that it knows besides OpenAI's. */
  readonly blocks?: readonly string[];
  /** True if a call is streamed in one piece. */
  readonly wholeCalls?: boolean;
  /** True if the last piece of a stream has the usage. */
  readonly endsWithUsage?: boolean;
  check?(messages: readonly ChatMessage[]): void;
}

const known: Readonly<Record<string, readonly string[]>> = {
  system: ["name"],
  developer: ["name"],
  user: ["name"],
  assistant: ["name", "tool_calls", "refusal", "audio", "function_call"],
  tool: ["name", "tool_call_id"],
};
const blocks: Readonly<Record<string, readonly string[]>> = {
  user: ["text", "image_url", "input_audio", "file"],
  assistant: ["text", "refusal"],
};
const usage = {
  prompt_tokens: 10,
  completion_tokens: 5,
  total_tokens: 15,
  prompt_tokens_details: { cached_tokens: 3 },
  completion_tokens_details: { reasoning_tokens: 2 },
};

/** Makes the API of chat completions, with OpenAI's rules and a dialect's own. */
function chatCompletions(dialect: Dialect): Provider<ChatReply> {
  return {
    streamType: "text/event-stream",
    streams: (body) => body.stream,
    check(body) {
      const messages = chatMessages(body);
      if (messages.length === 0) refuse("[] is too short - 'messages'");
      for (const [index, message] of messages.entries()) checkMessage(messages, message, index, dialect);
      checkTools(body, messages, dialect);
      dialect.check?.(messages);
    },
    whole: (reply, body) => ({
      ...frame(body, "chat.completion"),
      choices: [{ index: 0, message: messageOf(reply), finish_reason: finishOf(reply), logprobs: null }],
      usage,
    }),
    stream: (reply, body) => streamed(reply, body, dialect),
    error: (message) => ({ error: { message, type: "invalid_request_error", param: null, code: null }, message }),
  };
}

const toolsSchema = z.array(
  z.object({ function: z.object({ name: z.string(), parameters: z.record(z.string(), z.unknown()).optional() }) }),
);

/** Checks tools, calls and results as a server does. */
export function checkTools(
  { tools = [] }: Readonly<Record<string, unknown>>,
  messages: readonly ChatMessage[],
  { rules: own = rules.openai, texts = false }: Pick<Dialect, "rules" | "texts"> = {},
): void {
  const before: string[] = [];
  const wrong = [
    refusedTool(
      own,
      toolsSchema.parse(tools).map((one) => one.function),
    ),
  ];
  for (const [index, { role, content, tool_calls = [], tool_call_id: id }] of messages.entries()) {
    const calls = tool_calls.map((call) => ({ id: call.id, name: call.function.name }));
    wrong.push(refusedCalls(own, calls, before));
    before.push(...calls.map(({ id }) => id));
    const others = messages.slice(index + 1).findIndex((message) => message.role !== "tool");
    const results = messages.slice(index + 1, others === -1 ? undefined : index + 1 + others);
    if (role === "tool" && results.some(({ tool_call_id }) => tool_call_id === id)) wrong.push(`Two results for ${id}`);
    if (role === "tool" && texts && typeof content !== "string")
      wrong.push(`messages[${index}]: invalid type: sequence, expected a string`);
  }
  for (const why of wrong) if (why) refuse(why);
}

function checkMessage(messages: readonly ChatMessage[], message: ChatMessage, index: number, dialect: Dialect): void {
  const { role, content, name, tool_calls: calls } = message;
  const fields = known[role] ?? refuse(`Invalid value: '${role}'. messages[${index}].role`);
  for (const field of Object.keys(message))
    if (dialect.fields && !["role", "content", ...fields, ...dialect.fields].includes(field))
      refuse(`Unknown parameter: 'messages[${index}].${field}'.`);
  const types = [...(blocks[role] ?? ["text"]), ...(dialect.blocks ?? [])];
  for (const { type } of Array.isArray(content) ? content : [])
    if (!types.includes(type)) refuse(`Invalid value: '${type}'. Supported values are: ${types}. messages[${index}]`);
  if (name !== undefined && !/^[^\s<|\\/>]+$/.test(name)) refuse(`Invalid 'messages[${index}].name': ${name}`);
  if (role === "assistant" && content == null && calls === undefined) refuse("Invalid value for 'content': got null.");
  if (role === "tool" && !callsBefore(messages, index).includes(message.tool_call_id ?? ""))
    refuse("messages with role 'tool' must be a response to a preceding message with 'tool_calls'.");
  if (calls === undefined) return;
  if (calls.length === 0) refuse(`[] is too short - 'messages.${index}.tool_calls'`);
  const answered = answersAfter(messages, index);
  const open = calls.filter(({ id }) => !answered.includes(id)).map(({ id }) => id);
  if (open.length > 0) refuse(`'tool_calls' must be followed by tool messages responding to each id. Missing: ${open}`);
}

/** The ids of the calls that a tool message may answer. */
function callsBefore(messages: readonly ChatMessage[], index: number): string[] {
  const before = messages.slice(0, index).findLast(({ role }) => role !== "tool");
  return before?.tool_calls?.map(({ id }) => id) ?? [];
}

/** The ids that the tool messages right after a message answer. */
function answersAfter(messages: readonly ChatMessage[], index: number): (string | undefined)[] {
  const after = messages.slice(index + 1);
  const end = after.findIndex(({ role }) => role !== "tool");
  return after.slice(0, end === -1 ? undefined : end).map(({ tool_call_id: id }) => id);
}

function frame(body: ProviderRequest, object: string): object {
  const { model } = body;
  return { id: `chatcmpl-${chatMessages(body).length}`, object, created: 1, model, system_fingerprint: "fp" };
}

const finishOf = ({ calls }: ChatReply) => (calls ? "tool_calls" : "stop");

function messageOf({ content = null, calls, more }: ChatReply): object {
  const tool_calls = calls?.map(({ id, name, args }) => callOf(id, name, args));
  return { role: "assistant", content, ...more, ...(tool_calls && { tool_calls }) };
}

function callOf(id: string, name: string, text: string): object {
  return { id, type: "function", function: { name, arguments: text } };
}

function* streamed(reply: ChatReply, body: ProviderRequest, dialect: Dialect): Generator<string> {
  const { content, calls = [], more = {} } = reply;
  const chunk = (delta: object, finish_reason: string | null = null, rest: object = {}) =>
    sent({ ...frame(body, "chat.completion.chunk"), choices: [{ index: 0, delta, finish_reason }], ...rest });
  yield chunk({ role: "assistant", content: "" });
  for (const [field, value] of Object.entries(more)) for (const piece of halves(value)) yield chunk({ [field]: piece });
  if (typeof content === "string") for (const piece of halves(content)) yield chunk({ content: piece });
  else for (const block of content ?? []) yield chunk({ content: [block] });
  for (const [index, { id, name, args }] of calls.entries()) {
    yield chunk({ tool_calls: [{ index, ...callOf(id, name, dialect.wholeCalls ? args : "") }] });
    if (!dialect.wholeCalls)
      for (const piece of halves(args)) yield chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
  yield chunk({}, finishOf(reply), dialect.endsWithUsage ? { usage, x_groq: { id: "g", usage } } : {});
  if (body.stream_options) yield sent({ ...frame(body, "chat.completion.chunk"), choices: [], usage });
  yield "data: [DONE]\n\n";
}

/** OpenAI's own API, which refuses fields that it does not know. */
export const openai = chatCompletions({ fields: [] });

/** A server such as vLLM, which takes every field. */
export const compatible = chatCompletions({ blocks: ["video_url"] });

export const xai = chatCompletions({ fields: ["reasoning_content"] });

export const groq = chatCompletions({
  rules: rules.groq,
  texts: true,
  fields: ["reasoning"],
  wholeCalls: true,
  endsWithUsage: true,
});

/** A server that takes only texts as results, as those of DeepSeek do. */
export const textual = chatCompletions({ texts: true });

/** DeepSeek's reasoning models: a message with calls must come back with what the model thought. */
export const deepseek = chatCompletions({
  texts: true,
  fields: ["reasoning_content"],
  check(messages) {
    const lacking = messages.findIndex(({ tool_calls, reasoning_content }) => tool_calls && !reasoning_content);
    if (lacking !== -1)
      refuse(`Missing \`reasoning_content\` field in the assistant message at message index ${lacking}`);
  },
});

/** Mistral's API: its order of roles, its ids, and its thinking blocks. */
export const mistral = chatCompletions({
  rules: rules.mistral,
  fields: ["prefix"],
  blocks: ["thinking"],
  wholeCalls: true,
  endsWithUsage: true,
  check(messages) {
    for (const [index, { role, content, tool_calls: calls = [] }] of messages.entries()) {
      const before = messages[index - 1]?.role ?? "";
      if (role === "user" && before === "tool") refuse("Unexpected role 'user' after role 'tool'");
      if (role === "system" && ["assistant", "tool"].includes(before))
        refuse(`Unexpected role 'system' after role '${before}'`);
      if (role === "assistant" && calls.length === 0 && !content)
        refuse("Assistant message must have either content or tool_calls, but not none.");
    }
    if (messages.at(-1)?.role === "assistant") refuse("Expected last role User or Tool but got assistant");
  },
});
