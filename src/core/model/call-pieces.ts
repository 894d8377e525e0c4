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

const olderSchema = z.object({ function_call: z.object({ name: text, arguments: z.unknown() }) });

/** Returns the pieces of tool calls in a chunk, or in a whole reply that has a call in OpenAI's older form, `function_call`. */
export function piecesIn(message: AIMessage | AIMessageChunk): CallPiece[] {
  const pieces: readonly unknown[] = ("tool_call_chunks" in message && message.tool_call_chunks) || [];
  if (pieces.length > 0) return z.array(pieceSchema).parse(pieces);
  const { data } = olderSchema.safeParse(message.additional_kwargs);
  return data ? [pieceSchema.parse({ ...data.function_call, args: data.function_call.arguments })] : [];
}
