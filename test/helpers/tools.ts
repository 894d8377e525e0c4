import { type StructuredToolInterface, tool } from "@langchain/core/tools";
import { z } from "zod";

interface Fields {
  readonly description?: string;
  readonly metadata?: Record<string, unknown> | undefined;
  readonly returnDirect?: boolean;
}

/** Makes a tool whose input is one text. */
export function textTool(name: string, run: (text: string) => unknown, fields: Fields = {}): StructuredToolInterface {
  const schema = z.object({ text: z.string() });
  return tool(async ({ text }) => run(text), { name, description: `The tool ${name}.`, schema, ...fields });
}

/** Makes a tool that has no input. */
export function bareTool(name: string, run: () => unknown, fields: Fields = {}): StructuredToolInterface {
  return tool(async () => run(), { name, description: `The tool ${name}.`, schema: z.object({}), ...fields });
}
