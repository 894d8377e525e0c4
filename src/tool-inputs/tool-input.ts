import { z } from "zod";

export const toolInputSchema = z.union([z.string(), z.record(z.string(), z.unknown())]);

/** The input of a tool: the text of a prompted model, or the arguments of a native or JSON call. */
export type ToolInput = z.infer<typeof toolInputSchema>;

/** Returns the input of a tool as arguments of a call. LangChain's tools with one text parameter call it `input`. */
export function toArguments(toolInput: ToolInput): Record<string, unknown> {
  return typeof toolInput === "string" ? { input: toolInput } : toolInput;
}
