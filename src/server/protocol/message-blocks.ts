import { z } from "zod";
import { parsedJson } from "../../base/attempted.js";

type Fields = Readonly<Record<string, unknown>>;

const callSchema = z.looseObject({
  id: z.string().nullish(),
  name: z.string().nullish(),
  args: z.string().nullish(),
  index: z.union([z.number(), z.string()]).nullish(),
});
const wholeCallSchema = z
  .looseObject({ id: z.string().nullish(), name: z.string(), args: z.unknown() })
  .transform(({ args, ...call }) => ({ ...call, args: JSON.stringify(args ?? {}) }));

/** A piece of a message of a model, or a whole one, in LangGraph's form on the wire. */
export const chunkSchema = z.looseObject({
  type: z.string().regex(/^ai/i),
  id: z.string(),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]),
  tool_call_chunks: z.array(callSchema).nullish(),
  tool_calls: z.array(wholeCallSchema).nullish(),
  usage_metadata: z.looseObject({}).nullish(),
});
type Chunk = z.output<typeof chunkSchema>;

/** The block of a message that grows. */
interface OpenBlock {
  /** What tells it from other blocks: its type, and the number of a call. */
  readonly key: string;
  readonly fields: Fields;
  /** The field that grows. */
  readonly grows: "text" | "reasoning" | "args";
  text: string;
  /** The length of the arguments of a call that were sent last. */
  sent: number;
}

/** A message whose pieces become events with blocks. Blocks come one after the other. */
export class MessageBlocks {
  #index = -1;
  #open: OpenBlock | undefined;
  #usage: unknown;

  constructor(private readonly id: string) {}

  /** Returns the events of a piece of the message. */
  push({ content, tool_call_chunks, tool_calls, usage_metadata }: Chunk): Fields[] {
    const start = this.#index < 0 ? this.#start() : [];
    this.#usage = usage_metadata ?? this.#usage;
    const said =
      typeof content === "string" ? this.#grow("text", content) : content.flatMap((part) => this.#part(part));
    // A message that was not streamed has its calls as a whole.
    const calls = tool_call_chunks ?? tool_calls?.map((call, index) => ({ ...call, index })) ?? [];
    return [...start, ...said, ...calls.flatMap((call) => this.#call(call))];
  }

  /** Ends the message. */
  end(): Fields[] {
    const usage = this.#usage === undefined ? {} : { usage: this.#usage };
    return [...this.#close(), { event: "message-finish", reason: "stop", ...usage }];
  }

  #start(): Fields[] {
    this.#index = 0;
    return [{ event: "message-start", id: this.id, role: "ai" }];
  }

  #part(part: Fields): Fields[] {
    if (part.type === "text") return this.#grow("text", part.text);
    if (part.type === "reasoning") return this.#grow("reasoning", part.reasoning);
    if (part.type === "thinking") return this.#grow("reasoning", part.thinking);
    // Calls come as such, too.
    if (/^(?:tool_|input_json_delta|functionCall)/.test(String(part.type))) return [];
    const { index: _, ...content } = part;
    return [...this.#begin({ key: "", fields: content, grows: "text", text: "", sent: 0 }), ...this.#close(content)];
  }

  #grow(grows: "text" | "reasoning", text: unknown): Fields[] {
    if (typeof text !== "string" || text === "") return [];
    const block = { key: grows, fields: { type: grows, [grows]: "" }, grows, text: "", sent: 0 };
    const begun = this.#open?.key === grows ? [] : this.#begin(block);
    if (this.#open) this.#open.text += text;
    return [...begun, this.#delta({ type: `${grows}-delta`, [grows]: text })];
  }

  #call({ id, name, args, index }: z.output<typeof callSchema>): Fields[] {
    const text = args ?? "";
    const open = this.#open;
    // Only the first piece of a call has its id. Some servers number no calls.
    const key = `call ${index ?? id ?? (open?.grows === "args" ? open.key.slice(5) : "")}`;
    if (open?.key !== key) {
      const fields = { type: "tool_call_chunk", id: id ?? null, name: name ?? null, args: text };
      return this.#begin({ key, fields, grows: "args", text, sent: text.length });
    }
    open.text += text;
    // Clients of version 1.11 know no pieces of arguments, only all of them so far: each time a longer part of the whole.
    if (open.text.length < 1.5 * open.sent) return [];
    open.sent = open.text.length;
    return [this.#delta({ type: "block-delta", fields: { type: "tool_call_chunk", args: open.text } })];
  }

  #delta(delta: Fields): Fields {
    return { event: "content-block-delta", index: this.#index, delta };
  }

  #begin(block: OpenBlock): Fields[] {
    const closed = this.#close();
    this.#open = block;
    return [...closed, { event: "content-block-start", index: this.#index, content: block.fields }];
  }

  #close(content = this.#open && finished(this.#open)): Fields[] {
    if (this.#open === undefined) return [];
    this.#open = undefined;
    this.#index += 1;
    return [{ event: "content-block-finish", index: this.#index - 1, content }];
  }
}

function finished({ fields, grows, text }: OpenBlock): Fields {
  if (grows !== "args") return { ...fields, [grows]: text };
  const { id, name } = fields;
  const args = text === "" ? {} : parsedJson(text);
  return args === undefined
    ? { type: "invalid_tool_call", id, name, args: text, error: "The arguments are no JSON." }
    : { type: "tool_call", id, name, args };
}
