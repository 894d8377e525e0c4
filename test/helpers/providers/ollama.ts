import { z } from "zod";
import { type Provider, type ProviderRequest, refuse } from "./provider-server.js";

/** A reply of Ollama's API. */
export interface OllamaReply {
  readonly content: string;
  readonly thinking?: string;
  readonly tool_calls?: readonly { readonly function: { readonly name: string; readonly arguments: object } }[];
}

const messageSchema = z.looseObject({
  role: z.enum(["system", "user", "assistant", "tool"]),
  content: z.string(),
  tool_calls: z.array(z.object({ function: z.object({ arguments: z.record(z.string(), z.unknown()) }) })).optional(),
});

/** The messages of a request of Ollama's API. */
export function ollamaMessages(body: ProviderRequest): z.infer<typeof messageSchema>[] {
  return z.array(messageSchema).parse(body.messages);
}

const created_at = "2026-01-01T00:00:00Z";
const ended = { done: true, done_reason: "stop", prompt_eval_count: 10, eval_count: 5 };

/** Ollama's API. */
export const ollama: Provider<OllamaReply> = {
  streamType: "application/x-ndjson",
  streams: ({ stream }) => stream,
  check(body) {
    const read = z.array(messageSchema).safeParse(body.messages);
    if (!read.success) refuse(`json: cannot unmarshal ChatRequest.messages: ${read.error.message}`);
  },
  whole: (said, { model }) => ({ model, created_at, message: { role: "assistant", ...said }, ...ended }),
  *stream({ content, thinking, tool_calls }, { model }) {
    const line = (message: object, end: object = { done: false }) =>
      `${JSON.stringify({ model, created_at, message: { role: "assistant", content: "", ...message }, ...end })}\n`;
    if (thinking) yield line({ thinking });
    if (content) yield line({ content });
    if (tool_calls) yield line({ tool_calls });
    yield line({}, ended);
  },
  error: (error) => ({ error }),
};
