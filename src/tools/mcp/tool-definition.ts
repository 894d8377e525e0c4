import { isDeepStrictEqual } from "node:util";
import { z } from "zod";

const record = z.record(z.string(), z.unknown());

/** The schema of a tool as an MCP server lists it, with the parts that a model or a person is shown. */
export const toolDefinitionSchema = z.object({
  // A record cannot hold the name `__proto__`, so such a tool could not be pinned.
  name: z.string().regex(/^(?!__proto__$)./s),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: record.default({}),
  outputSchema: record.optional(),
  annotations: record.optional(),
});

/** A tool as an MCP server lists it. */
export type ToolDefinition = z.infer<typeof toolDefinitionSchema>;

const parts = ["title", "description", "inputSchema", "outputSchema", "annotations"] as const;

/** A part of a tool's definition that can change. */
export type DefinitionPart = (typeof parts)[number];

/** Lists the parts in which two definitions of a tool differ. The order of keys does not matter. */
export function changedParts(before: ToolDefinition, after: ToolDefinition): DefinitionPart[] {
  return parts.filter((part) => !isDeepStrictEqual(before[part], after[part]));
}

/** Tells whether a server says that a tool only reads. A tool counts as one with effects if the server says nothing. */
export function isReadOnly({ annotations }: ToolDefinition): boolean {
  return annotations?.readOnlyHint === true;
}
