import type { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import { z } from "zod";

const text = z.string().catch("");
const pieceSchema = z.object({
  index: z.union([z.string(), z.number()]).optional().catch(undefined),
  id: text,
  name: text,
  args: z.unknown().transform((args) => (typeof args === "string" ? args : args == null ? "" : JSON.stringify(args))),
  isCustomTool: z.boolean().catch(false),
});

/** A piece of a tool call in a stream. Its arguments are a text, also if the server sent an object. */
export type CallPiece = z.infer<typeof pieceSchema>;

const written = z.object({ name: text, arguments: z.unknown() });
const wholeSchema = z.union([
  z.object({ tool_calls: z.array(z.object({ id: text, function: written })).min(1) }),
  z
    .object({ function_call: written })
    .transform((call) => ({ tool_calls: [{ id: "", function: call.function_call }] })),
]);

/**
 * Returns the pieces of tool calls in a chunk, or the calls in a whole reply as its server wrote them. Of some packages a whole
 * reply has only what they read in it. OpenAI's older form is `function_call`.
 */
export function piecesIn(message: AIMessage | AIMessageChunk): CallPiece[] {
  const pieces: readonly unknown[] = ("tool_call_chunks" in message && message.tool_call_chunks) || [];
  if (pieces.length > 0) return z.array(pieceSchema).parse(pieces);
  // Most chunks have only words.
  if (Object.keys(message.additional_kwargs).length === 0) return [];
  const { tool_calls = [] } = wholeSchema.safeParse(message.additional_kwargs).data ?? {};
  return tool_calls.map(({ id, function: { name, arguments: args } }, index) =>
    pieceSchema.parse({ index, id, name, args }),
  );
}
