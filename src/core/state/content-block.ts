import { z } from "zod";

/** A block of content in a question or in the result of a tool, in any of the forms of LangChain, MCP and the providers. */
export const contentBlockSchema = z.looseObject({ type: z.string() });
export type ContentBlock = z.infer<typeof contentBlockSchema>;
