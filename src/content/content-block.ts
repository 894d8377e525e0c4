import { z } from "zod";

export const contentBlockSchema = z.looseObject({ type: z.string() });

/** A block of content in a question or in the result of a tool, in any of the forms of LangChain, MCP and the providers. */
export interface ContentBlock extends z.infer<typeof contentBlockSchema> {}
